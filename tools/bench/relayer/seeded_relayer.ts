/** `tonado serve` over a recorded chain, with a store that has indexed it already. */
import { formatDeployments } from "../../../src/core/deployments.ts";
import type { ArchivedStore } from "../../../src/store/archive.ts";
import { freePort } from "../../../tests/support/program.ts";
import { serve } from "../../../tests/support/serve.ts";
import { storedDeposits } from "../../../tests/support/stored_deposits.ts";
import { v8Flags } from "../../v8_flags.ts";
import { askProbe, PROBE_PORT, type Probed } from "./probe_server.ts";
import { commitmentOf, type RecordedChain } from "./recorded_chain.ts";

const PROGRAM = new URL("probed_program.ts", import.meta.url).pathname;
const LONGEST_START_MS = 900_000;

/** A relayer that is ready. */
export interface SeededRelayer {
  readonly url: string;
  /** From the process's start until every pool could be served. */
  readonly secondsToReady: number;
  probe(): Promise<Probed>;
  /** Ends it in good order. */
  close(): Promise<void>;
}

/** Fills an empty store with everything that the chain's pool has. */
export async function seed(store: ArchivedStore, chain: RecordedChain): Promise<void> {
  function* commitments() {
    for (let i = 0; i < chain.tree.size; i++) yield commitmentOf(i);
  }
  await store.restore(storedDeposits({
    pool: chain.pool.toRawString(),
    wallet: chain.relayer.address.toRawString(),
    commitments: commitments(),
    cursor: chain.newest,
  }));
}

/** Starts a relayer on `directory`, as `deno task serve` does, and waits until it is ready. @param env beside what it needs */
export async function startSeeded(
  chain: RecordedChain,
  directory: string,
  env: Record<string, string> = {},
): Promise<SeededRelayer> {
  const registry = `${directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(chain.deployments));
  const [port, probePort] = [freePort(), freePort()];
  const began = performance.now();
  const process = await serve({
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
  await askProbe(probePort); // from here on: what loading the program takes is not the relayer's
  while (!await isReady(process.url)) {
    if (performance.now() - began > LONGEST_START_MS) throw new Error(`never ready: ${process.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const secondsToReady = (performance.now() - began) / 1000;
  return {
    url: process.url,
    secondsToReady,
    probe: () => askProbe(probePort),
    async close() {
      const { code } = await process.end("SIGTERM");
      if (code !== 0) throw new Error(`the relayer ended with ${code}: ${process.log()}`);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const { status, body } = await fetch(`${url}/readyz`);
  await body?.cancel();
  return status === 200;
}
