/** PgBouncer in front of the tests' PostgreSQL, in transaction mode: what a managed database often puts there. */
import { find, serverDirectory, watch } from "./private_servers.ts";
import { postgresCommand } from "./postgres_command.ts";
import { freePort } from "./program.ts";
import { postgresServer } from "./services.ts";
import { until } from "./until.ts";

let started: Promise<string | undefined> | undefined;

/** Base URL of a transaction pooler before {@linkcode postgresServer}; undefined where there is none of both. */
export function pooler(): Promise<string | undefined> {
  return started ??= start();
}

/** The URL of a database as seen through the pooler. */
export async function pooled(url: string): Promise<string> {
  const own = new URL((await pooler())!);
  return Object.assign(new URL(url), { hostname: own.hostname, port: own.port }).href;
}

async function start(): Promise<string | undefined> {
  const program = await find("pgbouncer", "/usr/sbin");
  const server = await postgresServer();
  if (program === undefined || server === undefined) return undefined;
  const { hostname, port, username, password } = new URL(server);
  const directory = await serverDirectory("pgbouncer");
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
  watch(directory, [program, "-q", `${directory}/pgbouncer.ini`]);
  const url = Object.assign(new URL(server), { hostname: "127.0.0.1", port: String(own) }).href;
  await until("PgBouncer answers", () => postgresCommand(url, "select 1").then(() => true, () => false));
  return url;
}
