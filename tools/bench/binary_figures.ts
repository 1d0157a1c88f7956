/**
 * Measures the compiled relayer: size, time from start to the first answer of /livez, and resident memory when it is
 * ready. Linux only, because memory is read from /proc.
 *
 * Usage: deno task binary:figures [BINARY]     (default dist/tonado)
 */
import { gzipSync } from "node:zlib";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import { freePort, startProgram } from "../../testkit/programs/program.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { readArguments } from "../shared/arguments.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { median } from "./comparison.ts";

const STARTS = 9;
const POLL_MS = 5;
const [binary = "dist/tonado"] = readArguments([], 1).words;
await withTempDirectory(async (directory) => {
  const localnet = await startLocalnet({ blockTimeMs: 500 });
  try {
    const starts: { livez: number; memory: number }[] = [];
    for (let i = 0; i < STARTS; i++) starts.push(await measure(localnet, directory));
    const bytes = await Deno.readFile(binary);
    console.log(`size      ${mega(bytes.length)} MB, ${mega(gzipSync(bytes).length)} MB as gzip`);
    const times = starts.map(({ livez }) => livez);
    console.log(`to /livez ${Math.round(median(times))} ms, best ${Math.round(Math.min(...times))} ms`);
    console.log(`memory    ${mega(median(starts.map(({ memory }) => memory)))} MB`);
  } finally {
    await localnet.close();
  }
});

async function measure(localnet: Localnet, directory: string): Promise<{ livez: number; memory: number }> {
  const registry = `${directory}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(localnet.deployments));
  const port = freePort();
  const answers = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(async ({ ok, body }) => {
      await body?.cancel();
      return ok;
    }, () => false);
  const begin = performance.now();
  const relayer = startProgram([binary], ["serve"], {
    RELAYER_NETWORK: "localnet",
    RELAYER_WALLET_MNEMONIC: localnet.relayer.mnemonic,
    RELAYER_WALLET_VERSION: localnet.relayer.version,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${directory}/data`,
    RELAYER_PORT: String(port),
    INDEXER_URL: localnet.url,
  });
  while (!await answers("/livez")) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const livez = performance.now() - begin;
  await waitUntil("the relayer is ready", () => answers("/readyz"));
  const status = await Deno.readTextFile(`/proc/${relayer.pid}/status`);
  const memory = 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
  await relayer.stop();
  return { livez, memory };
}

function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
