/** Builds of the app for tests: each is made once for all test files of a process. */
import assert from "node:assert/strict";
import { runCommand } from "../../../testkit/programs/run_command.ts";
import { appLocations } from "../../../src/http/app/app_files.ts";

const root = new URL("../../../", import.meta.url);
const builds = new Map<string, Promise<URL>>();

/** Returns the folder of a build. @param main the page's entry; default: the app's own */
export function buildApp(main = "src/app/main.ts"): Promise<URL> {
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
