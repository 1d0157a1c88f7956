/**
 * Runs the property tests with many times the iterations of `deno task test`, and the deep tests of the prover's crate.
 * Prints a random seed first. `TONADO_SEED` repeats a run exactly, `TONADO_DEEP` is the factor (default 15).
 *
 * Usage: deno task test:deep [files]
 */
import { runCommand } from "../shared/command.ts";

const seed = Deno.env.get("TONADO_SEED") ?? String(crypto.getRandomValues(new Uint32Array(1))[0] >>> 1);
const depth = Deno.env.get("TONADO_DEEP") ?? "15";
const repeat = `TONADO_SEED=${seed} TONADO_DEEP=${depth} deno task test:deep`;
console.log(`repeat with ${repeat}`);

const root = new URL("../../", import.meta.url);
const files = Deno.args.length > 0
  ? Deno.args
  : [...await propertyTests("src/"), ...await propertyTests("testkit/"), ...await propertyTests("tests/")]
    .sort();
const failed: string[] = [];
if (Deno.args.length === 0) {
  const hasCargo = await run("cargo", ["--version"]).catch(() => false);
  if (!hasCargo) console.log("skipped: the prover's deep tests need cargo");
  else {
    for (const features of ["", "wide"]) {
      // The test profile is optimized and checks bounds and overflows; --release does not check them.
      const args = ["test", "--locked", "--features", features, "--", "--include-ignored"];
      if (!await run("cargo", args, "prover-wasm/")) failed.push(`prover-wasm ${features}`.trim());
    }
  }
}
if (!await run(Deno.execPath(), ["run", "-A", "tools/check/run_tests.ts", "all", ...files])) {
  failed.push("properties");
}

if (failed.length > 0) console.log(`failed: ${failed.join(", ")}; repeat with ${repeat}`);
Deno.exit(failed.length > 0 ? 1 : 0);

/** Returns the test files that use testkit/random/property_runs.ts, also by the steps of kills, or read TONADO_DEEP. */
async function propertyTests(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) paths.push(...await propertyTests(`${path}/`));
    else if (path.endsWith("_test.ts")) {
      const source = await Deno.readTextFile(new URL(path, root));
      if (/random\/property_runs\.ts|kill_steps\.ts|"TONADO_DEEP"/.test(source)) paths.push(path);
    }
  }
  return paths;
}

function run(command: string, args: string[], folder = ""): Promise<boolean> {
  return runCommand(command, args, {
    cwd: new URL(folder, root),
    env: { TONADO_SEED: seed, TONADO_DEEP: depth },
  });
}
