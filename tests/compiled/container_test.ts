/**
 * Tests the container without an engine: the Dockerfile's image contains the released file, and runs as compose.yaml
 * defines, with its variables, command and health check, on PostgreSQL and the Redis of compose.yaml. Host names,
 * ports and the network are this machine's. Skipped if the image cannot be built.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { freePort, startProgram } from "../../testkit/programs/program.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { hasBinary, output } from "./binary.ts";
import { contained, type Container, makePlaces, startContainer } from "./container.ts";
import { compose, scrapeTarget } from "./deployment_files.ts";
import { buildImage, canRunImage, type Image } from "./image.ts";
import { assertUnprivileged } from "./process_privileges.ts";
import { disposable, killed, openWorkspace, ready, relayerSettings, type Workspace } from "./workspace.ts";
import { omit } from "../../src/core/omit.ts";

const commands = await Promise.all(
  ["redis-server", "redis-cli", "pg_isready"].map((command) =>
    output([command, "--version"]).then(({ code }) => code === 0, () => false)
  ),
);
const ignore = !await hasBinary() || !await canRunImage();
const workspace: Workspace = ignore ? undefined! : await openWorkspace();
const { directory } = workspace ?? {};
const image: Image = ignore ? undefined! : await buildImage(directory, `${directory}/stages`);
/** The operator's .env: the values that compose.yaml needs. */
const filledIn = { POSTGRES_PASSWORD: "postgres-password", RELAYER_NETWORK: "localnet" };
const { services, secrets } = await compose(filledIn);
const { relayer } = services;

Deno.test({
  name:
    "container: its image holds the released file, byte for byte, no shell, and a folder that its user may write to",
  ignore,
  async fn() {
    deepEqual(
      await Deno.readFile(`${image.root}/usr/local/bin/tonado`),
      await Deno.readFile(workspace.binary),
    );
    const { stdout } = await output(["find", image.root, "-perm", "/111", "-type", "f", "-path", "*bin/*"]);
    equal(stdout, `${image.root}/usr/local/bin/tonado\n`);
    const found = await output(["find", image.root, "-uid", "65532", "-printf", "/%P %m\\n"]);
    deepEqual(found.stdout.trim().split("\n").sort(), ["/data 755", "/home/nonroot 700"]);
  },
});

Deno.test({
  name: "container: no image is built from another file than the released one",
  ignore,
  async fn() {
    const forged = `${directory}/forged`;
    await Deno.mkdir(`${forged}/dist`, { recursive: true });
    await Deno.writeTextFile(`${forged}/dist/tonado`, "#!/bin/sh\n");
    await Deno.copyFile(`${directory}/dist/SHA256SUMS`, `${forged}/dist/SHA256SUMS`);
    await rejects(buildImage(forged, `${forged}/stages`), /tonado: FAILED/);
  },
});

Deno.test({
  name:
    "container: serves on PostgreSQL and Redis, healthy, read-only, without rights; Prometheus finds its metrics; SIGTERM ends it",
  ignore: ignore || commands.includes(false) || !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    await using redis = await startRedis();
    const [, ...accepts] = services.postgres.healthcheck!.test;
    const { hostname, port: at } = new URL(database.url);
    equal((await output([...accepts, "--host", hostname, "--port", at])).code, 0, "PostgreSQL is healthy");
    const target = await scrapeTarget();
    const [port, metricsPort] = [freePort(), freePort()];
    const surroundings = await surround(
      { ...await relayerSettings(workspace, localnet, port), RELAYER_TRUST_PROXY: "1" },
      metricsPort,
      { database: new URL(database.url), redisPort: redis.port },
    );
    await makePlaces(image, surroundings);
    await using container = await startContainer(image, relayer, surroundings);
    const url = `http://127.0.0.1:${port}`;
    await waitUntil("it is ready", () => ready(url));
    const { dependencies } = await (await fetch(`${url}/readyz`)).json();
    deepEqual([dependencies.store.state, dependencies.cache.state], ["ok", "ok"]);

    await assertUnprivileged(container.pid, Number(image.user.split(":")[0]));
    await isFirstProcess(container);
    await writesItsVolumeAlone(container);
    const [health, ...rest] = contained(image, relayer, surroundings, image.healthCheck);
    deepEqual(await output([health, ...rest]), { code: 0, stdout: "", stderr: "" });
    deepEqual([target.host, String(target.port)], ["relayer", relayer.environment?.RELAYER_METRICS_PORT]);
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}${target.path}`);
    match(await metrics.text(), /^tonado_leads 1$/m);

    const { code, signal } = await container.stop(graceMs(relayer.stop_grace_period));
    deepEqual([code, signal], [0, null]);
    const dead = await output([health, ...rest]);
    equal(dead.code, 3, "and its health check says so");
  },
});

Deno.test({
  name: "container: without servers it keeps its store in its volume",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const environment = omit(relayer.environment!, "DATABASE_URL", "CACHE_URL");
    const settings = await relayerSettings(workspace, localnet);
    const surroundings = await surround(settings, freePort());
    await makePlaces(image, surroundings);
    await using container = await startContainer(image, { ...relayer, environment }, surroundings);
    await waitUntil("it is ready", () => ready(`http://127.0.0.1:${settings.RELAYER_PORT}`));
    ok(await Deno.stat(`${image.root}/data/tonado.kv`));
    equal((await container.stop(graceMs(relayer.stop_grace_period))).code, 0);
  },
});

Deno.test({ name: "container: leaves nothing behind", ignore, fn: () => workspace.remove() });

/**
 * Creates the surroundings that an engine provides: the operator's .env, the secret's file, host names, a
 * registry, and this machine's ports.
 */
async function surround(
  settings: Record<string, string>,
  metricsPort: number,
  servers?: { database: URL; redisPort: number },
) {
  const mnemonic = `${directory}/${secrets.mnemonic.file}`;
  await Deno.writeTextFile(mnemonic, await Deno.readTextFile(settings.RELAYER_WALLET_MNEMONIC_FILE));
  await Deno.chmod(mnemonic, 0o400); // docs/operating.md installs it with this mode
  await Deno.chown(mnemonic, 65532, 65532);
  const hosts = `${directory}/hosts`;
  const address = servers && (await lookup(servers.database.hostname)).address;
  await Deno.writeTextFile(hosts, `127.0.0.1 localhost redis\n${address ? `${address} postgres\n` : ""}`);
  const own = omit(settings, "RELAYER_DATA_DIR", "RELAYER_WALLET_MNEMONIC_FILE"); // the image sets these
  const inEnv = { ...filledIn, ...own, RELAYER_DEPLOYMENTS: "/run/localnet.json", RELAYER_FEE_BPS: "" };
  const lines = Object.entries(inEnv).map(([name, value]) => `${name}=${value}\n`);
  await Deno.writeTextFile(`${directory}/.env`, lines.join(""));
  return {
    folder: directory,
    files: {
      "/run/secrets/mnemonic": mnemonic,
      "/etc/hosts": hosts,
      "/run/localnet.json": settings.RELAYER_DEPLOYMENTS,
    },
    env: { RELAYER_METRICS_PORT: String(metricsPort), ...servers && urlsOf(servers) },
  };
}

/** Returns the URLs of compose.yaml with the ports, name, password and database of the test's servers. */
function urlsOf(
  { database: { username, password, port, pathname }, redisPort }: { database: URL; redisPort: number },
) {
  const requests = (name: string) => new URL(relayer.environment![name]);
  return {
    DATABASE_URL: Object.assign(requests("DATABASE_URL"), { username, password, port, pathname }).href,
    CACHE_URL: Object.assign(requests("CACHE_URL"), { port: redisPort }).href,
  };
}

/** Starts the Redis of compose.yaml with its command, and waits for its health check. */
async function startRedis() {
  const { command, healthcheck } = services.redis;
  const port = freePort();
  const [program, ...flags] = command!;
  const server = startProgram([program], [...flags, "--port", String(port), "--bind", "127.0.0.1"]);
  const [, ...check] = healthcheck!.test;
  await waitUntil("Redis is healthy", async () => (await output([...check, "-p", String(port)])).code === 0);
  return { port, [Symbol.asyncDispose]: () => killed(server) };
}

async function isFirstProcess({ pid }: Container): Promise<void> {
  match(await Deno.readTextFile(`/proc/${pid}/status`), /^NSpid:\t\d+\t1$/m);
}

async function writesItsVolumeAlone({ pid }: Container): Promise<void> {
  const mounts = (await Deno.readTextFile(`/proc/${pid}/mountinfo`)).trim().split("\n").map((line) =>
    line.split(" ")
  );
  const written = mounts.filter(([, , , , , options]) => options.split(",").includes("rw")).map((
    [, , , , at],
  ) => at);
  deepEqual(written.filter((at) => !/^\/(dev|proc)(\/|$)/.test(at)), ["/data"]);
}

function graceMs(period: unknown): number {
  const [, count, unit] = /^(\d+)(s|m)$/.exec(String(period))!;
  return Number(count) * (unit === "m" ? 60_000 : 1_000);
}
