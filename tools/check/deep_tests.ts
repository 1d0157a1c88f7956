/**
 * Property tests many times as far as `deno task test` takes them, from a seed of their own that is printed first, and what
 * the prover's crate and the ceremony's tests mark as deep. `TONADO_SEED` repeats a run exactly, `TONADO_DEEP` says how
 * many times as far (15).
 *
 * Usage: deno task test:deep [files]
 */
const seed = Deno.env.get("TONADO_SEED") ?? String(crypto.getRandomValues(new Uint32Array(1))[0] >>> 1);
const depth = Deno.env.get("TONADO_DEEP") ?? "15";
const again = `TONADO_SEED=${seed} TONADO_DEEP=${depth} deno task test:deep`;
console.log(`repeat with ${again}`);

const root = new URL("../../", import.meta.url);
const files = Deno.args.length > 0
  ? Deno.args
  : [...await propertyTests("src/"), ...await propertyTests("tests/")].sort();
const failed: string[] = [];
if (Deno.args.length === 0) {
  const hasCargo = await run("cargo", ["--version"]).catch(() => false);
  if (!hasCargo) console.log("skipped: the prover's deep tests need cargo");
  else {
    for (const features of ["", "wide"]) {
      // Not with --release: bounds and overflows are checked in the tests' own profile, which is optimized, too.
      const args = ["test", "--locked", "--features", features, "--", "--include-ignored"];
      if (!await run("cargo", args, "prover-wasm/")) failed.push(`prover-wasm ${features}`.trim());
    }
  }
}
if (!await run(Deno.execPath(), ["run", "-A", "tools/check/run_tests.ts", "all", ...files])) {
  failed.push("properties");
}

if (failed.length > 0) console.log(`failed: ${failed.join(", ")}; repeat with ${again}`);
Deno.exit(failed.length > 0 ? 1 : 0);

/** Test files that take their parameters from tests/support/property_runs.ts, or hold tests for this run alone. */
async function propertyTests(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) found.push(...await propertyTests(`${path}/`));
    else if (path.endsWith("_test.ts")) {
      const source = await Deno.readTextFile(new URL(path, root));
      if (/support\/property_runs\.ts|"TONADO_DEEP"/.test(source)) found.push(path);
    }
  }
  return found;
}

async function run(command: string, args: string[], folder = ""): Promise<boolean> {
  const { success } = await new Deno.Command(command, {
    args,
    cwd: new URL(folder, root),
    env: { TONADO_SEED: seed, TONADO_DEEP: depth },
    stdin: "null",
  }).spawn().status;
  return success;
}
