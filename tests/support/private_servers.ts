/**
 * Servers that the tests start for themselves where there are none: from the binaries on PATH, in a directory that goes
 * with them. A shell stands between, which ends the server when its standard input closes: so the server ends with this
 * process, however that ends.
 */
import { postgresCommand } from "./postgres_command.ts";
import { freePort } from "./program.ts";
import { redisCommand } from "./redis_command.ts";
import { until } from "./until.ts";

/** Debian keeps the server's programs out of PATH. */
const POSTGRES_HOMES = "/usr/lib/postgresql";
/** PostgreSQL and PgBouncer refuse to run as root; this user owns nothing but their directories. */
const NOBODY = 65_534;
const unprivileged = Deno.uid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const WATCHED =
  'd=$1; shift; "$@" & p=$!; trap : TERM INT HUP; read -r _ || :; kill -INT $p; wait $p; rm -rf "$d"';

/** Starts a PostgreSQL of its own and returns its URL; undefined when there is none on PATH. */
export async function privatePostgres(): Promise<string | undefined> {
  const [initdb, postgres] = [await find("initdb"), await find("postgres")];
  if (initdb === undefined || postgres === undefined) return undefined;
  const directory = await serverDirectory("postgres");
  const data = `${directory}/data`;
  const made = await new Deno.Command(initdb, {
    args: ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
    cwd: directory, // which the unprivileged user may enter, whoever owns the checkout
    ...unprivileged,
  }).output();
  if (!made.success) throw new Error(`initdb failed: ${new TextDecoder().decode(made.stderr)}`);
  const port = freePort();
  watch(directory, [
    postgres,
    ...["-D", data, "-k", directory, "-h", "127.0.0.1", "-p", String(port)],
    ...["fsync=off", "full_page_writes=off", "max_connections=200"].flatMap((option) => ["-c", option]),
  ]);
  return await answers(
    `postgres://postgres@127.0.0.1:${port}/postgres`,
    (url) => postgresCommand(url, "select 1"),
  );
}

/** Starts a Redis of its own and returns its URL; undefined when there is none on PATH. */
export async function privateRedis(): Promise<string | undefined> {
  const redis = await find("redis-server");
  if (redis === undefined) return undefined;
  const directory = await serverDirectory("redis");
  const port = freePort();
  watch(directory, [
    redis,
    ...[
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--dir",
      directory,
    ],
  ]);
  return await answers(`redis://127.0.0.1:${port}`, (url) => redisCommand(url, ["PING"], 1_000));
}

/** Path of a program; undefined when it is not installed. `also` are folders to look in beside PATH's. */
export async function find(program: string, ...also: string[]): Promise<string | undefined> {
  const folders = [...(Deno.env.get("PATH") ?? "").split(":"), ...also];
  try {
    for await (const { name } of Deno.readDir(POSTGRES_HOMES)) folders.push(`${POSTGRES_HOMES}/${name}/bin`);
  } catch {
    // not Debian
  }
  for (const folder of folders) {
    const path = `${folder}/${program}`;
    const there = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
    if (there) return path;
  }
  return undefined;
}

/** A directory of a server's own. */
export async function serverDirectory(server: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: `tonado-${server}-` });
  if (Deno.uid() === 0) await Deno.chown(directory, NOBODY, NOBODY);
  return directory;
}

/** Runs a server until this process ends, and removes its directory then. */
export function watch(directory: string, command: readonly string[]): void {
  const child = new Deno.Command("sh", {
    args: ["-c", WATCHED, "sh", directory, ...command],
    cwd: directory,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    ...unprivileged,
  }).spawn();
  child.unref();
}

/** Waits until a server that was just started answers. */
async function answers(url: string, ask: (url: string) => Promise<unknown>): Promise<string> {
  await until(`${url} answers`, () => ask(url).then(() => true, () => false));
  return url;
}
