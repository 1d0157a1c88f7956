/**
 * Starts servers for tests from the binaries on PATH, in a temporary directory. A shell between this process
 * and the server ends the server when its standard input closes, so the server always ends with this process.
 */
import { postgresQuery } from "./postgres_query.ts";
import { freePort } from "../programs/program.ts";
import { redisCommand } from "./redis_command.ts";
import { waitUntil } from "../programs/wait_until.ts";
import { childCommand } from "../programs/child_command.ts";

/** Debian does not put the server's programs on PATH. */
const POSTGRES_HOMES = "/usr/lib/postgresql";
/** PostgreSQL and PgBouncer refuse to run as root. This user owns only their directories. */
const UNPRIVILEGED_UID = 65_534;
const unprivileged = Deno.uid() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {};

const SUPERVISOR_SCRIPT =
  'd=$1; shift; "$@" & p=$!; trap : TERM INT HUP; read -r _ || :; kill -INT $p; wait $p; rm -rf "$d"';

/** Starts a PostgreSQL server and returns its URL; undefined if it is not installed. */
export async function startPostgres(): Promise<string | undefined> {
  const [initdb, postgres] = [await findProgram("initdb"), await findProgram("postgres")];
  if (initdb === undefined || postgres === undefined) return undefined;
  const directory = await createServerDirectory("postgres");
  const data = `${directory}/data`;
  const made = await childCommand(initdb, {
    args: ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
    cwd: directory, // the unprivileged user may not be able to enter the repository
    ...unprivileged,
  }).output();
  if (!made.success) throw new Error(`initdb failed: ${new TextDecoder().decode(made.stderr)}`);
  const port = freePort();
  startSupervised(directory, [
    postgres,
    ...["-D", data, "-k", directory, "-h", "127.0.0.1", "-p", String(port)],
    ...["fsync=off", "full_page_writes=off", "max_connections=200"].flatMap((option) => ["-c", option]),
  ]);
  return await waitForServer(
    `postgres://postgres@127.0.0.1:${port}/postgres`,
    (url) => postgresQuery(url, "select 1"),
  );
}

/** Starts an empty Redis server of its own and returns its URL; undefined if it is not installed. */
export async function startRedis(): Promise<string | undefined> {
  const redis = await findProgram("redis-server");
  if (redis === undefined) return undefined;
  const directory = await createServerDirectory("redis");
  const port = freePort();
  startSupervised(directory, [
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
  return await waitForServer(`redis://127.0.0.1:${port}`, (url) => redisCommand(url, ["PING"], 1_000));
}

/** Returns the path of a program; undefined if it is not installed. @param also folders to search beside PATH's */
export async function findProgram(program: string, ...also: string[]): Promise<string | undefined> {
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

/** Creates a server's directory. */
export async function createServerDirectory(server: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: `tonado-${server}-` });
  if (Deno.uid() === 0) await Deno.chown(directory, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
  return directory;
}

/** Runs a server until this process ends, then removes its directory. */
export function startSupervised(directory: string, command: readonly string[]): void {
  const child = new Deno.Command("sh", {
    args: ["-c", SUPERVISOR_SCRIPT, "sh", directory, ...command],
    cwd: directory,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    ...unprivileged,
  }).spawn();
  child.unref();
}

/** Waits until a server answers. */
async function waitForServer(url: string, ask: (url: string) => Promise<unknown>): Promise<string> {
  await waitUntil(`${url} answers`, () => ask(url).then(() => true, () => false));
  return url;
}
