/** Runs `tonado serve` over a recorded chain, with a store that has already indexed it. */
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import type { ArchivedStore } from "../../../src/store/archive.ts";
import { freePort } from "../../../testkit/programs/program.ts";
import { startRelayerProcess } from "../../../testkit/relayer/relayer_process.ts";
import { generateDepositRows } from "../../../testkit/relayer/deposit_rows.ts";
import { v8Flags } from "../../../testkit/toolchain/v8_flags.ts";
import { askProbe, PROBE_PORT, type ProbeReport } from "./probe_server.ts";
import { commitmentOf, type RecordedChain } from "./recorded_chain.ts";

const PROGRAM = new URL("probed_program.ts", import.meta.url).pathname;
const MAX_START_MS = 900_000;

/** A relayer that is ready. */
export interface SeededRelayer {
  readonly url: string;
  /** From the start of the process until every pool was ready. */
  readonly secondsToReady: number;
  probe(): Promise<ProbeReport>;
  /** Shuts it down. */
  close(): Promise<void>;
}

/** Fills an empty store with all rows of the chain's pool and closes it. */
export async function seedStore(opening: Promise<ArchivedStore>, chain: RecordedChain): Promise<void> {
  const store = await opening;
  function* commitments() {
    for (let i = 0; i < chain.tree.size; i++) yield commitmentOf(i);
  }
  await store.restore(generateDepositRows({
    pool: chain.pool.toRawString(),
    wallet: chain.relayer.address.toRawString(),
    commitments: commitments(),
    cursor: chain.newest,
  }));
  await store.close();
}

/**
 * Starts a relayer on `directory`, as `deno task serve` does, and waits until it is ready. @param env additional
 * variables
 */
export async function startSeededRelayer(
  chain: RecordedChain,
  directory: string,
  env: Record<string, string> = {},
): Promise<SeededRelayer> {
  const registry = `${directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(chain.deployments));
  const [port, probePort] = [freePort(), freePort()];
  const began = performance.now();
  const process = await startRelayerProcess({
    RELAYER_NETWORK: "localnet",
    RELAYER_WALLET_MNEMONIC: chain.relayer.mnemonic,
    RELAYER_WALLET_VERSION: chain.relayer.version,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: directory,
    RELAYER_HOST: "127.0.0.1",
    RELAYER_PORT: String(port),
    RELAYER_LOG_LEVEL: "warning",
    INDEXER_URL: chain.url,
    [PROBE_PORT]: String(probePort),
    ...env,
  }, ["run", "-A", "--no-check", ...await v8Flags(), PROGRAM, "serve"]);
  await askProbe(probePort); // starts a new measurement: loading the program is not counted
  while (!await isReady(process.url)) {
    if (performance.now() - began > MAX_START_MS) throw new Error(`never ready: ${process.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const secondsToReady = (performance.now() - began) / 1000;
  return {
    url: process.url,
    secondsToReady,
    probe: () => askProbe(probePort),
    async close() {
      const { code } = await process.stop("SIGTERM");
      if (code !== 0) throw new Error(`the relayer ended with ${code}: ${process.log()}`);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const { status, body } = await fetch(`${url}/readyz`);
  await body?.cancel();
  return status === 200;
}
