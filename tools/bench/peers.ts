/**
 * Peers that run on Node, as their users run them: a process that does what it is told, a line of JSON each way. They are
 * no dependencies; npm installs them, pinned, into a cache of their own. snarkjs and circomlibjs are GPL-3.
 */
import { TextLineStream } from "../../tests/support/text_lines.ts";

const PACKAGES = ["snarkjs@0.7.6", "circomlibjs@0.1.7"];
const SCRIPT = new URL("node_peer.mjs", import.meta.url).pathname;

/** A Node process with the peers loaded. */
export interface NodePeer {
  /** Does `op` and returns what it says; throws what went wrong there. */
  ask(op: string, args?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it, after installing what is missing. */
export async function openNodePeer(): Promise<NodePeer> {
  const folder = `${Deno.env.get("HOME")}/.cache/tonado-bench/${PACKAGES.join("_")}`;
  if (!await Deno.stat(`${folder}/installed`).then(() => true, () => false)) {
    const { success } = await new Deno.Command("npm", {
      args: [
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        folder,
        ...PACKAGES,
      ],
      stdout: "null",
    }).output();
    if (!success) throw new Error(`npm could not install ${PACKAGES.join(" ")}`);
    await Deno.writeTextFile(`${folder}/installed`, "");
  }
  const child = new Deno.Command("node", {
    args: [SCRIPT, folder],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  return {
    async ask(op, args = {}) {
      await writer.write(new TextEncoder().encode(`${JSON.stringify({ op, ...args })}\n`));
      const { value, done } = await lines.read();
      if (done) throw new Error(`the peer ended at ${op}`);
      const { result, error } = JSON.parse(value);
      if (error !== undefined) throw new Error(`${op}: ${error}`);
      return result;
    },
    async close() {
      await writer.close().catch(() => {});
      child.kill("SIGKILL"); // its threads would keep it
      await child.status;
      await lines.cancel();
    },
  };
}
