/**
 * Builds the app, starts a local network with pools, a relayer, a faucet and a test wallet, and serves the app.
 * Usage: deno task app [--port PORT] [--json]
 *   --port PORT   of the app (default: 8088; 0: any free port)
 *   --json        print the addresses as one line of JSON
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseDeployments } from "../../src/core/protocol/deployments.ts";
import { openAppSite } from "../../src/http/app/app_site.ts";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { startBridge } from "../../testkit/wallet/bridge_server.ts";
import { describeTool } from "../shared/arguments.ts";
import { commandOutput, runCommand } from "../shared/command.ts";
import { startWalletPage } from "./wallet_page.ts";

/** Not that of `tonado app`: a browser keeps notes by host and port. */
const DEFAULT_PORT = "8088";
const values = readArguments();
if (values.help) {
  console.log(usage());
  Deno.exit(0);
}
const port = Number(values.port);
try {
  Deno.listen({ hostname: "localhost", port }).close();
} catch (error) {
  if (!(error instanceof Deno.errors.AddrInUse)) throw error;
  console.error(`Port ${port} is in use. Stop that program, or choose another port: deno task app --port 0`);
  Deno.exit(1);
}
const BLOCK_TIME_MS = "1000";
const started = performance.now();
const root = new URL("../../", import.meta.url);
const data = await Deno.makeTempDir({ prefix: "tonado-app-" });
const ports = ["--port", "0", "--relayer-port", "0"];
const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => resolve());
});
const network = startProgram(sourceCommand(), [
  ...["localnet", "--json", "--data-dir", data, "--block-time", BLOCK_TIME_MS],
  ...ports,
]);
try {
  await Promise.race([serveApp().then(() => stopped), stopped]);
} finally {
  await network.stop();
  await Deno.remove(data, { recursive: true });
}
Deno.exit(0); // pages may keep their connections open

/** Serves the app and its network, and prints their addresses. */
async function serveApp(): Promise<void> {
  const [net, built] = await Promise.all([network.nextLine().then((line) => JSON.parse(line)), buildApp()]);
  if (!built) throw new Error("the app was not built");
  const bridge = startBridge();
  const walletPage = await startWalletPage({
    bridge: bridge.url,
    indexer: net.indexer,
    wallet: net.wallets[0],
  });
  const site = await openAppSite("/", {
    depositEndpoint: net.indexer,
    withdrawalEndpoint: net.indexer.replace("127.0.0.1", "localhost"),
    relayers: [net.relayer],
    deployments: parseDeployments(JSON.parse(await Deno.readTextFile(net.registry))),
    wallets: [{ id: "test", name: "Test wallet", link: walletPage.connectUrl, bridge: bridge.url }],
  });
  const server = Deno.serve(
    { hostname: "localhost", port, onListen: () => {} },
    site.respond,
  );
  const url = `http://localhost:${(server.addr as Deno.NetAddr).port}/`;
  print({ url, faucet: net.faucet, relayer: net.relayer, wallet: walletPage.url, registry: net.registry });
}

async function buildApp(): Promise<boolean> {
  const build = fileURLToPath(new URL("tools/build/app.ts", root));
  const args = ["run", "-A", "--no-check", build, "--no-budgets"];
  if (!values.json) return await runCommand(Deno.execPath(), args, { cwd: root });
  await commandOutput(Deno.execPath(), args, { cwd: root }); // JSON alone on standard output
  return true;
}

function print(facts: Record<"url" | "faucet" | "relayer" | "wallet" | "registry", string>): void {
  if (values.json) return console.log(JSON.stringify(facts));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`
Open ${facts.url} in a browser.

test wallet  ${facts.wallet}   (confirm payments here)
faucet       ${facts.faucet}?address=...&coins=1000000000&jettons=1000000   (for wallets of your own)
relayer      ${facts.relayer}
registry     ${facts.registry}

ready in ${seconds} s. Press Ctrl-C to stop.`);
}

function usage(): string {
  return describeTool(Deno.readTextFileSync(fileURLToPath(import.meta.url)));
}

function readArguments() {
  const options = {
    port: { type: "string", default: DEFAULT_PORT },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    return parseArgs({ args: Deno.args, options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage()}`);
    Deno.exit(2);
  }
}
