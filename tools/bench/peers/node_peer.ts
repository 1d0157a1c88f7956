/**
 * Runs peers that need Node in a process of its own, with one line of JSON per request and answer. npm installs them,
 * pinned, into a cache: they are no dependencies. snarkjs and circomlibjs are GPL-3.
 */
import { LineStream } from "../../../testkit/programs/line_stream.ts";
import { commandOutput } from "../../shared/command.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const PACKAGES = ["snarkjs@0.7.6", "circomlibjs@0.1.7"];
const SCRIPT = new URL("node_peer.mjs", import.meta.url).pathname;

/** A Node process with the peers loaded. */
export interface NodePeer extends AsyncDisposable {
  /** Runs `op` and returns its result. Throws its error. */
  request(op: string, args?: Record<string, unknown>): Promise<unknown>;
}

/** Installs missing packages and starts the process. */
export async function openNodePeer(): Promise<NodePeer> {
  const folder = `${Deno.env.get("HOME")}/.cache/tonado-bench/${PACKAGES.join("_")}`;
  if (!await Deno.stat(`${folder}/installed`).then(() => true, () => false)) {
    const flags = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    await commandOutput("npm", ["install", ...flags, ...PACKAGES]);
    await Deno.writeTextFile(`${folder}/installed`, "");
  }
  const child = childCommand("node", { args: [SCRIPT, folder], stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new LineStream())
    .getReader();
  return {
    async request(op, args = {}) {
      await writer.write(new TextEncoder().encode(`${JSON.stringify({ op, ...args })}\n`));
      const { value, done } = await lines.read();
      if (done) throw new Error(`the peer ended at ${op}`);
      const { result, error } = JSON.parse(value);
      if (error !== undefined) throw new Error(`${op}: ${error}`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => {});
      child.kill("SIGKILL"); // its threads would keep it alive
      await child.status;
      await lines.cancel();
    },
  };
}
