/** Builds the compiled binary for tests and runs it, freely or confined to a read-only file system without root. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { childCommand } from "../../testkit/programs/child_command.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Returns whether a binary to test exists or can be compiled, see {@link binaryIn}. */
export async function hasBinary(): Promise<boolean> {
  return Deno.env.get("TONADO_TEST_BINARY") !== undefined || await canCompile();
}

/**
 * Puts the binary and its SHA256SUMS into `folder`/dist: a copy of TONADO_TEST_BINARY, with which CI tests the file
 * that it releases, or a newly compiled one.
 *
 * @returns the binary's path
 */
export async function binaryIn(folder: string): Promise<string> {
  const [dist, given] = [`${folder}/dist`, Deno.env.get("TONADO_TEST_BINARY")];
  if (given === undefined) await compile(`${dist}/tonado`);
  else {
    await Deno.mkdir(dist);
    await Deno.copyFile(given, `${dist}/tonado`);
    await Deno.copyFile(join(dirname(given), "SHA256SUMS"), `${dist}/SHA256SUMS`);
  }
  return `${dist}/tonado`;
}

/** Returns whether a runtime to embed is available, from DENORT_BIN or Deno's download site. */
export async function canCompile(): Promise<boolean> {
  if (Deno.env.get("DENORT_BIN") !== undefined) return true;
  try {
    const response = await fetch(`https://dl.deno.land/release/v${Deno.version.deno}/`, {
      method: "HEAD",
      signal: AbortSignal.timeout(3000),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

/** Runs a command with only these variables beside those that every process needs. */
export async function output(command: readonly string[], env: Record<string, string> = {}, cwd?: string) {
  const { code, stdout, stderr } = await childCommand(command[0], {
    args: command.slice(1),
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs `deno task compile` on the sources in `sources`. Returns the binary's SHA-256 in hex. */
export async function compile(
  binary: string,
  sources = ROOT,
  flags: readonly string[] = [],
): Promise<string> {
  const { code, stderr } = await childCommand(Deno.execPath(), {
    args: ["task", "--quiet", "compile", "--output", binary, ...flags],
    cwd: sources,
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return createHash("sha256").update(await Deno.readFile(binary)).digest("hex");
}

/** Copies the sources of the binary, and nothing else, into a new folder. */
export async function copySources(to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  const what = [
    "deno.json",
    "deno.lock",
    "main.ts",
    "src",
    "testkit",
    "tools",
    "app",
    "artifacts",
    "assets",
    "deployments",
  ];
  const wasm = ["poseidon-wasm/pkg", "prover-wasm/pkg", "ceremony-wasm/pkg"];
  const { code, stderr } = await output(["cp", "-r", "--parents", ...what, ...wasm, to], {}, ROOT);
  if (code !== 0) throw new Error(stderr);
}

const CONFINE = `
mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd /proc/sys || exit 99
if [ -w /etc/passwd ] || touch "$0/../probe" 2>/dev/null; then exit 98; fi
exec "$@"
`;

/**
 * Returns the command line that runs `command` as nobody in an empty working directory, on a file system that is
 * read-only except for the folder `writable`.
 */
export function confined(writable: string, command: readonly string[]): string[] {
  const isRoot = Deno.uid() === 0;
  const space = ["unshare", "--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];
  const nobody = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  return [...space, "sh", "-c", CONFINE, writable, ...nobody, ...command];
}

/** Returns whether this system can confine processes. */
export async function canConfine(): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-confined-" });
  try {
    return (await output(confined(folder, ["true"]))).code === 0;
  } catch {
    return false;
  } finally {
    await Deno.remove(folder);
  }
}
