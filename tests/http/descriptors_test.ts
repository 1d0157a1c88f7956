/** A relayer without free file descriptors continues in the same process after connections close. */
import { deepEqual, equal } from "node:assert/strict";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { relayerKey } from "../../src/localnet/development_keys.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { serveCommand, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";

/** The number of file descriptors of the process; the test opens more connections. */
const FILES = 80;
const CONNECTIONS = 70;

for (const attacked of ["API", "metrics"]) {
  Deno.test(`incomplete requests that use up the file descriptors of the ${attacked} end neither process nor listener`, async () =>
    await withTempDirectory(async (directory) => {
      const registry = `${directory}/registry.json`;
      await Deno.writeTextFile(registry, formatDeployments({ network: "localnet", pools: new Map() }));
      const metricsPort = freePort();
      const relayer = await startRelayerProcess(
        {
          RELAYER_WALLET_MNEMONIC: relayerKey.mnemonic,
          RELAYER_NETWORK: "localnet",
          INDEXER_URL: `http://127.0.0.1:${freePort()}`,
          RELAYER_DEPLOYMENTS: registry,
          RELAYER_DATA_DIR: `${directory}/data`,
          RELAYER_PORT: "0",
          RELAYER_METRICS_PORT: String(metricsPort),
        },
        serveCommand(),
        FILES,
      );
      const live = () => status(`${relayer.url}/livez`);
      const scraped = () => status(`http://127.0.0.1:${metricsPort}/metrics`);
      await waitUntil("it answers", async () => await live() === 200 && await scraped() === 200);

      const held: Deno.TcpConn[] = [];
      const port = attacked === "API" ? Number(new URL(relayer.url).port) : metricsPort;
      const failed = () => relayer.log().includes("is not listened on");
      for (let i = 0; i < CONNECTIONS && !failed(); i++) {
        await connect(port).then((c) => held.push(c), () => {});
      }
      // Some versions of the runtime report it only after the last connection has closed.
      for (const connection of held) connection.close();
      await waitUntil("it has failed", () => Promise.resolve(failed()));
      await waitUntil("it answers again", async () => await live() === 200 && await scraped() === 200);
      equal(await live(), 200);
      deepEqual(await relayer.stop("SIGTERM"), { success: true, code: 0, signal: null });
    }));
}

/** Opens a connection and begins a request. Rejects if it is refused or interrupted. */
async function connect(port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(new TextEncoder().encode("GET /livez HTTP/1.1\r\nho"));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returns the status of the response, or undefined if there is none. */
async function status(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { headers: { connection: "close" } });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
