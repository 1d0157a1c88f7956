/** Builds the app for tests. Each build is made once per test file. */
import assert from "node:assert/strict";
import { runCommand } from "../../../testkit/programs/run_command.ts";
import { appLocations } from "../../../src/http/app/app_files.ts";

const root = new URL("../../../", import.meta.url);
const builds = new Map<string, Promise<URL>>();

const APP_MAIN = "src/app/main.ts";

/**
 * Returns the folder of a build. With TONADO_TEST_APP, the app's own build is that folder.
 * @param main the page's entry; default: the app's own
 */
export function buildApp(main = APP_MAIN): Promise<URL> {
  const given = Deno.env.get("TONADO_TEST_APP");
  if (given !== undefined && main === APP_MAIN) return Promise.resolve(new URL(`file://${given}/`));
  const known = builds.get(main);
  if (known) return known;
  const building = build(main);
  builds.set(main, building);
  return building;
}

async function build(main: string): Promise<URL> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-built-app-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const output = `${folder}/app`;
  const args = ["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets", "--main", main];
  const { code, stderr } = await runCommand(Deno.execPath(), [...args, "--output", output], { cwd: root });
  assert.equal(code, 0, stderr);
  return new URL(`file://${output}/`);
}

/** Serves this build from now on. */
export function useBuild(folder: URL): void {
  appLocations.folder = folder;
}
