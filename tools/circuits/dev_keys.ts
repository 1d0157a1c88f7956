/**
 * Creates the development proving keys: powers of tau for 2^14 with one contribution, prepared for phase 2 (minutes,
 * once), then per circuit the Groth16 setup with one contribution, and the verification key.
 *
 * INSECURE by design: the person who runs this could know the secrets and forge proofs. Keys that protect money come
 * from a ceremony with many contributors. These are for localnet, tests and development, and are labelled so.
 *
 * Usage: deno task keys:dev [--version2] [--ptau FILE]
 *   Finished steps stay in dist/circuits/, so an interrupted run continues. --version2 makes only the keys of version 2
 * pools. --ptau FILE is a prepared file of powers of tau (2^14 or more, bls12381) made elsewhere.
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { allCircuitNames, circuitsOfVersion } from "../../src/core/crypto/groth16.ts";
import {
  ARTIFACTS_FOLDER,
  CIRCUITS_OUTPUT,
  DEVELOPMENT_LABEL,
  formatJson,
  pinnedHashes,
  readPins,
  writePins,
} from "../../testkit/toolchain/artifact_pins.ts";
import { compileCircuit } from "../../testkit/toolchain/circom.ts";
import { closeSnarkjs, openSnarkjs, type SnarkjsLogger } from "../../testkit/toolchain/snarkjs.ts";
import { readArguments } from "../shared/arguments.ts";

const onlyVersion2 = readArguments(["--version2", "--ptau"], 1).has("--version2");

/** 2^14 = 16,384 rows hold the largest circuit, settle16, with its 14,862 constraints and its public signals. */
const POWER = 14;

const ptauGiven = option("--ptau");
await Deno.mkdir(CIRCUITS_OUTPUT, { recursive: true });
const snarkjs = await openSnarkjs();
const ptau = ptauGiven ?? await powersOfTau();

const made: [file: string, content: Uint8Array | string][] = [];
for (const name of onlyVersion2 ? circuitsOfVersion[2] : allCircuitNames) {
  const { r1cs, wasm } = await compileCircuit(name);
  const initial = path(`${name}_initial.zkey`);
  const final = path(`${name}_final.zkey`);
  const system = { type: "mem" as const, data: r1cs };
  await step(`${name}: setup`, (log) => snarkjs.zKey.newZKey(system, ptau, initial, log));
  await step(
    `${name}: contribution`,
    (log) => snarkjs.zKey.contribute(initial, final, "development", randomText(), log),
  );
  made.push([`${name}.wasm`, wasm]);
  made.push([`${name}.zkey`, await Deno.readFile(final)]);
  made.push([`${name}.vkey.json`, formatJson(await snarkjs.zKey.exportVerificationKey(final))]);
}
await closeSnarkjs();

// Written together at the end, so that an interrupted run leaves the old keys complete.
for (const [file, content] of made) {
  const url = new URL(file, ARTIFACTS_FOLDER);
  await (typeof content === "string" ? Deno.writeTextFile(url, content) : Deno.writeFile(url, content));
}
const development = { label: DEVELOPMENT_LABEL, files: {} };
const pins = onlyVersion2 ? await readPins() : development;
const written = await writePins({ ...pins, version2: development });
for (const [file, hash] of Object.entries(pinnedHashes(written))) console.log(`${hash}  artifacts/${file}`);
console.log(DEVELOPMENT_LABEL);

async function powersOfTau(): Promise<string> {
  const made = await cached(`bls12381_${POWER}_initial.ptau`, "powers of tau: new", async (file, log) => {
    await snarkjs.powersOfTau.newAccumulator(
      await snarkjs.curves.getCurveFromName("bls12381"),
      POWER,
      file,
      log,
    );
  });
  const contributed = await cached(
    `bls12381_${POWER}_contributed.ptau`,
    "powers of tau: contribution, about 25 s",
    (file, log) => snarkjs.powersOfTau.contribute(made, file, "development", randomText(), log),
  );
  return await cached(
    `bls12381_${POWER}_prepared.ptau`,
    "powers of tau: preparation for phase 2, about 10 minutes",
    (file, log) => snarkjs.powersOfTau.preparePhase2(contributed, file, log),
  );
}

/** Creates a file unless an earlier run finished it. A file gets its name only when it is complete. */
async function cached(
  file: string,
  title: string,
  make: (file: string, log: SnarkjsLogger) => Promise<unknown>,
): Promise<string> {
  const target = path(file);
  if (await Deno.stat(target).then((info) => info.isFile, () => false)) {
    console.error(`${title}: kept from an earlier run (${target})`);
    return target;
  }
  const partial = `${target}.tmp`;
  await step(title, (log) => make(partial, log));
  await Deno.rename(partial, target);
  return target;
}

/** Runs a step and shows its progress on standard error, on a terminal in one line. */
async function step(title: string, work: (log: SnarkjsLogger) => Promise<unknown>): Promise<void> {
  const start = performance.now();
  const terminal = Deno.stderr.isTerminal();
  const line = (text: string) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    return `${terminal ? "\r\x1b[K" : ""}${title}: ${seconds} s${text}`;
  };
  // snarkjs reports progress in its debug lines.
  const progress = (text: string) => {
    if (!terminal) return;
    Deno.stderr.writeSync(new TextEncoder().encode(line(`  ${text.replaceAll(/\s+/g, " ").slice(0, 60)}`)));
  };
  const report = (text: string) => console.error(line(`  ${text}`));
  console.error(`${title}...`);
  const result = await work({ debug: progress, info: progress, warn: report, error: report });
  // snarkjs returns -1 after it has logged the reason: the file is not prepared, too small, or of another curve.
  if (result === -1) throw new Error(`${title} failed`);
  console.error(line(""));
}

function randomText(): string {
  return randomBytes(32).toString("hex");
}

function path(file: string): string {
  return fileURLToPath(new URL(file, CIRCUITS_OUTPUT));
}

function option(name: string): string | undefined {
  const at = Deno.args.indexOf(name);
  if (at === -1) return undefined;
  const value = Deno.args[at + 1];
  if (value === undefined) throw new Error(`${name} needs a value`);
  return value;
}
