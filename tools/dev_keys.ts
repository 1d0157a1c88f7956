/**
 * Makes the development proving keys from nothing: powers of tau for 2^14, one contribution, preparation for phase 2
 * (minutes, once), then for each circuit the Groth16 setup, one contribution, and the verification key.
 *
 * INSECURE by design: whoever runs this could know the secrets and forge proofs. Keys that guard money come out of a
 * ceremony with many contributors; these are for localnet, tests and development, and carry that label.
 *
 * Usage: deno task keys:dev [--ptau FILE]
 *   Each finished step stays in dist/circuits/, so a run that was cut off goes on where it ended. --ptau FILE takes
 *   prepared powers of tau (2^14 or more, bls12381) made elsewhere.
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { circuits } from "../src/core/groth16.ts";
import { ARTIFACTS, DEVELOPMENT_LABEL, DIST, formatJson, writePins } from "./artifacts.ts";
import { compileCircuit } from "./circuits.ts";
import { closeSnarkjs, openSnarkjs, type SnarkjsLogger } from "./snarkjs.ts";
import { readArguments } from "./flags.ts";

readArguments(["--ptau"], 1);

/** 2^14 = 16,384 rows hold the larger circuit, deposit, with its 9,540 constraints and its public signals. */
const POWER = 14;

const ptauGiven = option("--ptau");
await Deno.mkdir(DIST, { recursive: true });
const snarkjs = await openSnarkjs();
const ptau = ptauGiven ?? await powersOfTau();

const made: [file: string, content: Uint8Array | string][] = [];
for (const name of circuits) {
  const { wasm } = await compileCircuit(name);
  const initial = path(`${name}_initial.zkey`);
  const final = path(`${name}_final.zkey`);
  await step(`${name}: setup`, (log) => snarkjs.zKey.newZKey(path(`${name}.r1cs`), ptau, initial, log));
  await step(
    `${name}: contribution`,
    (log) => snarkjs.zKey.contribute(initial, final, "development", randomText(), log),
  );
  made.push([`${name}.wasm`, wasm]);
  made.push([`${name}.zkey`, await Deno.readFile(final)]);
  made.push([`${name}.vkey.json`, formatJson(await snarkjs.zKey.exportVerificationKey(final))]);
}
await closeSnarkjs();

// All at once, so that a run that was cut off leaves the old keys whole.
for (const [file, content] of made) {
  const url = new URL(file, ARTIFACTS);
  await (typeof content === "string" ? Deno.writeTextFile(url, content) : Deno.writeFile(url, content));
}
const { label, files } = await writePins(DEVELOPMENT_LABEL);
for (const [file, hash] of Object.entries(files)) console.log(`${hash}  artifacts/${file}`);
console.log(label);

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

/** Makes a file unless an earlier run finished it: it gets its name only when it is whole. */
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

/** Runs one step and shows on standard error how far it is: on a terminal in one line that moves. */
async function step(title: string, work: (log: SnarkjsLogger) => Promise<unknown>): Promise<void> {
  const start = performance.now();
  const terminal = Deno.stderr.isTerminal();
  const line = (text: string) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    return `${terminal ? "\r\x1b[K" : ""}${title}: ${seconds} s${text}`;
  };
  // snarkjs tells how far it is in its debug lines.
  const progress = (text: string) => {
    if (!terminal) return;
    Deno.stderr.writeSync(new TextEncoder().encode(line(`  ${text.replaceAll(/\s+/g, " ").slice(0, 60)}`)));
  };
  const report = (text: string) => console.error(line(`  ${text}`));
  console.error(`${title}...`);
  const result = await work({ debug: progress, info: progress, warn: report, error: report });
  // snarkjs answers -1 after it has logged why: a file that is not prepared, too small, or of another curve.
  if (result === -1) throw new Error(`${title} failed`);
  console.error(line(""));
}

function randomText(): string {
  return randomBytes(32).toString("hex");
}

function path(file: string): string {
  return fileURLToPath(new URL(file, DIST));
}

function option(name: string): string | undefined {
  const at = Deno.args.indexOf(name);
  if (at === -1) return undefined;
  const value = Deno.args[at + 1];
  if (value === undefined) throw new Error(`${name} needs a value`);
  return value;
}
