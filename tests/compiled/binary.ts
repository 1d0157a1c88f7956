/** The compiled binary, made for a test, and ways to run it: freely, or where nothing can be written and nobody is root. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Whether there is a binary to test, or can be: see {@link binaryIn}. */
export async function hasBinary(): Promise<boolean> {
  return Deno.env.get("TONADO_TEST_BINARY") !== undefined || await canCompile();
}

/**
 * Puts the binary that is tested, and its SHA256SUMS, into `folder`/dist: a copy of what TONADO_TEST_BINARY names, which is
 * how CI tests the very file that it releases; else compiled now.
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

/** Whether a runtime to embed can be had: from DENORT_BIN, or from Deno's download site. */
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

/** Runs a command to its end, with these variables alone beside what a process needs. */
export async function output(command: readonly string[], env: Record<string, string> = {}, cwd?: string) {
  const { code, stdout, stderr } = await new Deno.Command(command[0], {
    args: command.slice(1),
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs `deno task compile` on the sources in `sources`. @returns hex SHA-256 of the binary that it made */
export async function compile(
  binary: string,
  sources = ROOT,
  flags: readonly string[] = [],
): Promise<string> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "compile", "--output", binary, ...flags],
    cwd: sources,
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return createHash("sha256").update(await Deno.readFile(binary)).digest("hex");
}

/** Copies what the binary is made of, and nothing else, into a new folder. */
export async function copySources(to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  const what = ["deno.json", "deno.lock", "main.ts", "src", "tools", "artifacts", "assets", "deployments"];
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
 * Command line that runs `command` on a file system that can be read only, but for the folder `writable`; as nobody, in a
 * working directory where nothing lies.
 */
export function confined(writable: string, command: readonly string[]): string[] {
  const isRoot = Deno.uid() === 0;
  const space = ["unshare", "--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];
  const nobody = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  return [...space, "sh", "-c", CONFINE, writable, ...nobody, ...command];
}

/** Whether this system lets us confine anything. */
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
