/** PgBouncer in transaction mode in front of the tests' PostgreSQL, as in many managed databases. */
import { createServerDirectory, findProgram, startSupervised } from "./local_servers.ts";
import { postgresQuery } from "./postgres_query.ts";
import { freePort } from "../programs/program.ts";
import { postgresServer } from "./services.ts";
import { waitUntil } from "../programs/wait_until.ts";

let started: Promise<string | undefined> | undefined;

/** Returns the base URL of a pooler in front of {@linkcode postgresServer}; undefined if either is missing. */
export function pgbouncerServer(): Promise<string | undefined> {
  return started ??= start();
}

/** Returns the URL of a database through the pooler. */
export async function throughPgbouncer(url: string): Promise<string> {
  const own = new URL((await pgbouncerServer())!);
  return Object.assign(new URL(url), { hostname: own.hostname, port: own.port }).href;
}

async function start(): Promise<string | undefined> {
  const program = await findProgram("pgbouncer", "/usr/sbin");
  const server = await postgresServer();
  if (program === undefined || server === undefined) return undefined;
  const { hostname, port, username, password } = new URL(server);
  const directory = await createServerDirectory("pgbouncer");
  const own = freePort();
  const login = [
    `user=${decodeURIComponent(username)}`,
    ...password ? [`password=${decodeURIComponent(password)}`] : [],
  ];
  await Deno.writeTextFile(
    `${directory}/pgbouncer.ini`,
    `[databases]
* = host=${hostname} port=${port || 5432} ${login.join(" ")}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 500
server_idle_timeout = 2
`,
  );
  startSupervised(directory, [program, "-q", `${directory}/pgbouncer.ini`]);
  const url = Object.assign(new URL(server), { hostname: "127.0.0.1", port: String(own) }).href;
  await waitUntil("PgBouncer answers", () => postgresQuery(url, "select 1").then(() => true, () => false));
  return url;
}
