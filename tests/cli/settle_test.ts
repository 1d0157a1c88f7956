/**
 * `tonado settle` on a local network: it settles deposits by comment, loses a race to another settler,
 * settles the remaining deposits in the next run, and refuses incorrect calls before it sends anything.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { toNano } from "@ton/core";
import { poseidon } from "../../src/core/crypto/poseidon.ts";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import { DepositQueueReader } from "../../src/client/settlement/deposit_queue.ts";
import { settleDeposits, type SettleStep } from "../../src/client/settlement/settle_deposits.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { V2Pool } from "../../src/ton/pool/v2/pool.ts";
import { openWallet, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { FaultySends } from "../support/endpoint/faulty_sends.ts";
import { sharedProver } from "../support/prover/shared_prover.ts";

const KEY = "native-10-v2";
const DENOMINATION = toNano(10);
const commitments = Array.from({ length: 32 }, (_, i) => poseidon([BigInt(i), 7n]));

/** Starts a local network and opens wallets of a depositor, a payer and a rival settler. */
async function openScene(dir: string) {
  await using stack = new AsyncDisposableStack();
  await useTrapdoorKeys();
  const net = await startTestLocalnet({ blockTimeMs: 0 });
  stack.defer(() => net.close());
  const prover = await sharedProver();
  const chain = connect({ network: "localnet", endpoint: net.url });
  const pool = new V2Pool(chain, net.deployments.pools.get(KEY)!.address);
  const [depositor, payer, rival] = await Promise.all(
    net.wallets.slice(0, 3).map(({ mnemonic, version }) =>
      openWallet(mnemonic, { version, network: "localnet", chain })
    ),
  );
  await Deno.writeTextFile(`${dir}/registry.json`, formatDeployments(net.deployments));
  await Deno.writeTextFile(`${dir}/words.txt`, net.wallets[1].mnemonic);
  const sends = new FaultySends("answered by the second of two nodes");
  const endpoint = stack.use(sends.serve(net.url));
  const at = ["--network", "localnet", "--registry", `${dir}/registry.json`, "--endpoint", endpoint.url];
  const payerFlags = ["--mnemonic-file", `${dir}/words.txt`, "--wallet-version", net.wallets[1].version];
  const settle = (...args: string[]) => runCli(["settle", ...args, ...at]);
  let deposited = 0;
  const deposit = async (count: number) => {
    for (const end = deposited + count; deposited < end; deposited++) {
      const commitment = commitments[deposited];
      await depositor.send([pool.buildCommentDepositMessage({ commitment, value: DENOMINATION })]);
      await waitUntil("the deposit is queued", async () => await pool.getNextIndex() > deposited);
    }
  };
  const rootOf = (count: number) => {
    const tree = new MerkleTree();
    tree.appendMany(commitments.slice(0, count));
    return tree.root;
  };
  const open = stack.move();
  return {
    settle,
    sends,
    payerFlags,
    deposit,
    payer,
    pool,
    rootOf,
    net,
    prover,
    rival,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado settle adds waiting deposits to the tree while others settle too", (t) =>
  withTempDirectory(async (dir) => {
    await using scene = await openScene(dir);
    await refusesWrongCalls(t, scene);
    await settlesInOrder(t, scene);
    await settlesBesideRival(t, scene);
  }));

async function refusesWrongCalls(
  t: Deno.TestContext,
  { settle, payerFlags, deposit, payer, pool }: Scene,
): Promise<void> {
  await t.step("an empty queue needs no settlement", async () => {
    const { code, stdout, stderr } = await settle(KEY, ...payerFlags, "--yes");
    deepEqual([code, stdout], [0, `${KEY}: no deposit waits\n`], stderr);
  });

  await deposit(3);
  for (
    const [name, args, text] of [
      ["without a wallet", [KEY, "--yes"], /--mnemonic-file.*the proof names the wallet/s],
      [
        "of an unknown pool",
        ["native-11-v2", ...payerFlags, "--yes"],
        /no pool native-11-v2[^\n]*\nVersion 2 pools on localnet: [a-z0-9.-]+-v2(, [a-z0-9.-]+-v2)*\.\n/,
      ],
      ["of a version 1 pool", ["native-1", ...payerFlags, "--yes"], /is a version 1 pool/],
      ["of no batches", [KEY, ...payerFlags, "--yes", "--batches", "0"], /--batches.*at least 1/s],
      ["without confirmation", [KEY, ...payerFlags], /confirmation_required/],
    ] as const
  ) {
    await t.step(`a settlement ${name} is refused, and nothing is sent`, async () => {
      const seqno = await payer.seqno();
      const { code, stderr } = await settle(...args);
      ok(code !== 0, stderr);
      match(stderr, text);
      deepEqual([await payer.seqno(), await pool.getSettled()], [seqno, 0]);
    });
  }
}

async function settlesInOrder(
  t: Deno.TestContext,
  { settle, sends, payerFlags, pool, rootOf, deposit }: Scene,
): Promise<void> {
  await t.step("three deposits are settled, and the pool has the root of their tree", async () => {
    const { code, stdout, stderr } = await settle(KEY, ...payerFlags, "--yes");
    equal(code, 0, stderr);
    match(
      stdout,
      /^3 deposits waiting in native-10-v2, \S+\nThe first settlement carries [^]*\nsettled leaves 0 to 2, (cost|earned) 0\.\d+ GRAM\n$/,
    );
    match(stderr, /your wallet will be public as the settler/);
    deepEqual([await pool.getSettled(), await pool.getCurrentRoot()], [3, rootOf(3)]);
    equal(sends.refusals.length, 1, "the endpoint reports the wallet's refusal of a copy");
  });

  await t.step("a settlement fills a chunk, and the first deposit of the next chunk waits", async () => {
    await deposit(14);
    const { code, stdout, stderr } = await settle(
      KEY,
      ...payerFlags,
      "--yes",
      "--batches",
      "1",
      "--json",
    );
    equal(code, 0, stderr);
    const { settled: [batch], waiting } = JSON.parse(stdout);
    deepEqual([batch.first, batch.end, waiting], [3, 16, 1]);
    equal(BigInt(batch.root), rootOf(16));
  });
}

/** Returns a function that settles as a wallet, on a clock that does not wait. */
function openSettlers({ net, pool, prover }: Pick<Scene, "net" | "pool" | "prover">) {
  let now = Date.now();
  /** Moves the network's time forward instead of sleeping, unless it has passed during a slow proof. */
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      const { syncUtime } = await pool.chain.account(pool.address);
      now = Math.max(now + ms, 1000 * (syncUtime + 1));
      await net.setNow(Math.floor(now / 1000));
    },
  };
  return async (
    wallet: Wallet,
    { onWait = () => Promise.resolve(), reader }: {
      readonly onWait?: () => Promise<void>;
      readonly reader?: DepositQueueReader;
    } = {},
  ) => {
    const steps: SettleStep["step"][] = [];
    const read: number[] = [];
    const batches = await settleDeposits({ pool, wallet, prover, ...reader && { reader } }, {
      pollIntervalMs: 1,
      clock: {
        ...clock,
        async sleep(ms) {
          await clock.sleep(ms);
          if (steps.at(-1) === "waiting") await onWait();
        },
      },
      onStep(step) {
        if (step.step === "reading") read.push(step.transactions);
        if (step.step !== steps.at(-1)) steps.push(step.step);
      },
    });
    return { read, steps, ranges: batches.map(({ first, end }) => [first, end]) };
  };
}

async function settlesBesideRival(t: Deno.TestContext, scene: Scene): Promise<void> {
  const { pool, deposit, payer, rival, rootOf } = scene;
  const settleAs = openSettlers(scene);

  await t.step(
    "a rival that settles before the message is sent costs nothing, and no deposit",
    async () => {
      await deposit(2);
      const rivals: number[][][] = [];
      const { read, steps, ranges } = await settleAs(payer, {
        async onWait() {
          if (rivals.length === 0) rivals.push((await settleAs(rival)).ranges);
        },
      });
      deepEqual([rivals, ranges], [[[[16, 19]]], []]);
      deepEqual(steps, ["reading", "proving", "waiting", "lost", "reading"]);
      equal(read.at(-1), 1, "the second read has only the rival's settlement");
      deepEqual([await pool.getSettled(), await pool.getCurrentRoot()], [19, rootOf(19)]);
    },
  );

  await t.step("after it, the next deposits are settled in order", async () => {
    await deposit(5);
    deepEqual((await settleAs(payer)).ranges, [[19, 24]]);
    deepEqual([await pool.getSettled(), await pool.getCurrentRoot()], [24, rootOf(24)]);
  });

  await t.step("a rival that settles a part of our batch just before it is a lost race, too", async () => {
    await deposit(8);
    const rivals: number[][][] = [];
    const beaten: Wallet = Object.create(payer, {
      send: {
        async value(...args: Parameters<Wallet["send"]>) {
          if (rivals.length === 0) {
            rivals.push((await settleAs(rival, { reader: new PartialReader(pool) })).ranges);
          }
          return await payer.send(...args);
        },
      },
    });
    const { steps, ranges } = await settleAs(beaten);
    deepEqual([rivals, ranges], [[[[24, 27]]], [[27, 32]]]);
    deepEqual(steps.slice(0, 4), ["reading", "proving", "sent", "lost"]);
    deepEqual([await pool.getSettled(), await pool.getCurrentRoot()], [32, rootOf(32)]);
  });
}

/** Reads only the oldest three waiting deposits. */
class PartialReader extends DepositQueueReader {
  override async read() {
    const queue = await super.read();
    return { ...queue, waiting: queue.waiting.slice(0, 3) };
  }
}
