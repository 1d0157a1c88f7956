/** Measures the HTTP API under load, in turns with a Hono server with constant answers. */
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { freePort } from "../../../testkit/programs/program.ts";
import { withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { median } from "../comparison.ts";
import { blockFigure, type Figure, figure, type Outcome, type Study } from "../study.ts";
import { askProbe, PROBE_PORT } from "./probe_server.ts";
import { commitmentOf, type RecordedChain, startRecordedChain } from "./recorded_chain.ts";
import { seedStore, startSeededRelayer } from "./seeded_relayer.ts";
import { type Load, postScript, postScriptWithCounter, runLoad } from "./wrk.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const DEPOSITS = 2 ** 17;
const ROUNDS = 3;
const SECONDS = 2;
const CONNECTIONS = 32;
const PAGE = 10_000;
const RATE = { of: "ratio", atLeast: 0.6 } as const;
const LATENCY = { of: "ratio", atMost: 3 } as const;
const NUMBER = "4711471147114711";

interface RequestKind {
  readonly name: string;
  readonly path: string;
  readonly script?: string;
  /** The path of the empty server to compare with. */
  readonly beside: string;
  /** Whether the target applies. */
  readonly bounded?: boolean;
  /** Whether every answer must be an error. */
  readonly refused?: boolean;
}

async function kinds({ pool, tree, relayer }: RecordedChain): Promise<RequestKind[]> {
  const query = `pool=${encodeURIComponent(pool.toString())}`;
  const prover = await createProver();
  const { proof } = await prover.proveWithdraw(withdrawProverInput());
  prover.close();
  const fee = "60000000";
  /** Well-formed, with a different nullifier hash each time, and a proof of another statement. */
  const withdrawal = (root: bigint) => ({
    pool: pool.toString(),
    proof,
    publicSignals: [root, NUMBER, addressToField(relayer.address), addressToField(relayer.address), fee, 0]
      .map(String),
    recipient: relayer.address.toString(),
    fee,
    refund: "0",
  });
  return [
    { name: "/status", path: "/status", beside: "/", bounded: true },
    {
      name: "/note/check",
      path: "/note/check",
      script: postScript({ pool: pool.toString(), commitment: fieldToHex(commitmentOf(DEPOSITS / 2)) }),
      beside: "/",
      bounded: true,
    },
    { name: "/tree/root", path: `/tree/root?${query}`, beside: "/", bounded: true },
    {
      name: `/tree/commitments of ${PAGE} leaves`,
      path: `/tree/commitments?${query}&from=20000&limit=${PAGE}`,
      beside: "/large",
    },
    {
      name: "/withdraw, refused for its root",
      path: "/withdraw",
      script: postScriptWithCounter(withdrawal(12345n), NUMBER),
      beside: "/",
      refused: true,
    },
    {
      name: "/withdraw, refused for its proof",
      path: "/withdraw",
      script: postScriptWithCounter(withdrawal(tree.root), NUMBER),
      beside: "/",
      refused: true,
    },
  ];
}

/** The samples of one kind of request. */
interface LoadSamples {
  readonly own: Load[];
  readonly rates: number[];
  readonly latencies: number[];
  /** Milliseconds of the event loop's longest delay. */
  readonly gaps: number[];
}

async function measureUnderLoad(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS);
  try {
    return await withTempDirectory((directory) => measureRequests(chain, directory));
  } finally {
    await chain.close();
  }
}

async function measureRequests(chain: RecordedChain, directory: string): Promise<Outcome> {
  await seedStore(openKvStore(directory), chain);
  const relayer = await startSeededRelayer(chain, directory);
  const all = await kinds(chain);
  const page = await (await fetch(relayer.url + all[3].path)).arrayBuffer();
  const [emptyPort, emptyProbe] = [freePort(), freePort()];
  const empty = childCommand(Deno.execPath(), {
    args: ["run", "-A", "--no-check", EMPTY, String(emptyPort), String(page.byteLength)],
    env: { [PROBE_PORT]: String(emptyProbe) },
  }).spawn();
  await waitUntil("the empty server answers", () => askProbe(emptyProbe).then(() => true, () => false));
  const seen = new Map<string, LoadSamples>();
  const emptySeen = new Map<string, LoadSamples>();
  const options = { seconds: SECONDS, connections: CONNECTIONS };
  for (let round = 0; round < ROUNDS; round++) {
    const beside = new Map<string, Load>();
    for (const { name, path, script } of EMPTY_KINDS) {
      await askProbe(emptyProbe);
      const base = await runLoad(`http://127.0.0.1:${emptyPort}${path}`, { ...options, script });
      beside.set(name, base);
      addSample(emptySeen, name, base, base, (await askProbe(emptyProbe)).longest);
    }
    for (const kind of all) {
      await relayer.probe();
      const own = await runLoad(relayer.url + kind.path, { ...options, script: kind.script });
      const refusals = own.refused / own.answers;
      if (kind.refused ? refusals < 1 : refusals > 0) {
        throw new Error(`${kind.name}: ${own.refused} of ${own.answers} refused`);
      }
      addSample(seen, kind.name, own, beside.get(kind.beside)!, (await relayer.probe()).longest);
    }
  }
  empty.kill("SIGKILL");
  await empty.status;
  await relayer.close();
  return { figures: [...figuresOf(all, seen), ...emptyFigures(emptySeen)] };
}

/** The requests to the empty server. */
const EMPTY_KINDS: readonly Pick<RequestKind, "name" | "path" | "script">[] = [
  { name: "/", path: "/" },
  { name: "/large", path: "/large" },
  {
    name: "body",
    path: "/",
    script: postScript({ pool: `0:${"ab".repeat(32)}`, commitment: fieldToHex(1n) }),
  },
];

const EMPTY = new URL("empty_server.ts", import.meta.url).pathname;

function addSample(all: Map<string, LoadSamples>, name: string, own: Load, base: Load, gap: number): void {
  const seen = all.get(name) ?? { own: [], rates: [], latencies: [], gaps: [] };
  all.set(name, seen);
  seen.own.push(own);
  seen.rates.push(own.perSecond / base.perSecond);
  seen.latencies.push(own.p99Ms / base.p99Ms);
  seen.gaps.push(gap);
}

function figuresOf(kinds: readonly RequestKind[], all: Map<string, LoadSamples>): Figure[] {
  return kinds.flatMap(({ name, beside, bounded }): Figure[] => {
    const { own, rates, latencies, gaps } = all.get(name)!;
    const ratio = median(rates);
    return [
      beside === "/large"
        ? bytesFigure(name, own, { ratio, target: { of: "value", atLeast: 1 } })
        : rateFigure(name, own, { ratio, ...bounded && { target: RATE } }),
      latencyFigure(name, own, { ratio: median(latencies), ...bounded && { target: LATENCY } }),
      blockFigure(`${name}: longest block of the event loop`, gaps),
    ];
  });
}

type More = Parameters<typeof figure>[3];

const rateFigure = (name: string, loads: readonly Load[], more?: More) =>
  figure(name, loads.map(({ perSecond }) => perSecond), "requests/s", more);
const latencyFigure = (name: string, loads: readonly Load[], more?: More) =>
  figure(`${name}: 99 of 100 within`, loads.map(({ p99Ms }) => p99Ms), "ms", more);
const bytesFigure = (name: string, loads: readonly Load[], more?: More) =>
  figure(name, loads.map(({ bytesPerSecond }) => bytesPerSecond / 1e9), "GB/s", more);

function emptyFigures(all: Map<string, LoadSamples>): Figure[] {
  const [small, large, body] = EMPTY_KINDS.map(({ name }) => all.get(name)!);
  const server = "an empty Hono server";
  return [
    rateFigure(server, small.own),
    latencyFigure(server, small.own),
    figure(`${server}: longest block of the event loop`, Math.max(...small.gaps), "ms"),
    rateFigure(`${server} that reads a JSON body`, body.own),
    latencyFigure(`${server} that reads a JSON body`, body.own),
    bytesFigure(`${server} with the same bytes`, large.own),
  ];
}

export const httpStudy: Study = {
  id: "http",
  title: "HTTP with 2^17 deposits",
  about:
    `The load program wrk uses ${CONNECTIONS} connections, in ${ROUNDS} rounds of ${SECONDS} s, on the same machine. Ratios compare with a server that answers without doing anything. Rates and latencies are medians; 99 of 100 requests finish within the stated latency. Blocks of the event loop are the longest of all rounds. The relayer runs the wide build, as \`deno task serve\` does.`,
  builds: ["wide"],
  run: measureUnderLoad,
};
