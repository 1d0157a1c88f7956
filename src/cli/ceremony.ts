/** `tonado ceremony`: phase 2 of the trusted setup, from powers of tau to the keys that mainnet takes. */
import { Command, InvalidArgumentError } from "commander";
import { Problem } from "../core/errors.ts";
import type { CircuitName } from "../core/groth16.ts";
import { type Arithmetic, openArithmetic } from "../ops/ceremony/arithmetic.ts";
import {
  beginCeremony,
  closeWithBeacon,
  contributeTo,
  type Origin,
  verifyCeremony,
} from "../ops/ceremony/ceremony.ts";
import { beaconExponents } from "../ops/ceremony/contribution.ts";
import { type Folder, readKeys, readTranscript } from "../ops/ceremony/folder.ts";
import { assertClosed, exportKeys, outputs, writeKeys } from "../ops/ceremony/keys.ts";
import { LARGEST_ENTROPY, LARGEST_R1CS, LARGEST_TRANSCRIPT } from "../ops/ceremony/sizes.ts";
import { NAME, parseTranscript } from "../ops/ceremony/transcript.ts";
import { type Artifacts, openArtifacts } from "../prover/artifacts.ts";
import { type CeremonyOptions, CeremonyTalk } from "./ceremony_talk.ts";
import type { Wiring } from "./wiring.ts";

interface OriginOptions extends CeremonyOptions {
  readonly powers?: string;
  readonly circuits?: string;
}

const hexBytes = /^(0x)?([0-9a-fA-F]{2}){8,255}$/;

/** The command and its six. */
export function ceremonyCommand(wiring: Wiring): Command {
  const command = (name: string, description: string, examples: string) =>
    new Command(name).description(description)
      .argument("<directory>", "the ceremony's folder")
      .option("--json", "print one JSON object")
      .option("--quiet", "print only essential output")
      .addHelpText("after", `\nExamples:\n${examples}`);
  const origin = [
    ["--powers <file>", "phase 1: powers of tau over BLS12-381, prepared for phase 2 (.ptau)"],
    [
      "--circuits <directory>",
      "where withdraw.r1cs and deposit.r1cs lie, as `deno task circuits` makes them",
    ],
  ] as const;
  const withOrigin = (command: Command) =>
    origin.reduce((command, [flag, what]) => command.requiredOption(flag, what), command);
  const mayHaveOrigin = (command: Command) =>
    origin.reduce((command, [flag, what]) => command.option(flag, what), command);
  return new Command("ceremony")
    .description("make the keys of both circuits together with others, so that nobody can forge proofs")
    .addCommand(
      withOrigin(command(
        "init",
        "check phase 1, make the initial keys and begin the transcript; takes minutes",
        "  tonado ceremony init ceremony --powers bls12381_14.ptau --circuits dist/circuits",
      )).action((directory: string, options: OriginOptions) => init(wiring, directory, options)),
    )
    .addCommand(
      command(
        "contribute",
        "check what is there and add a contribution to both keys",
        "  tonado ceremony contribute ceremony --name Alice\n" +
          "  head -c 64 /dev/random > dice && tonado ceremony contribute ceremony --name Alice --entropy-file dice",
      )
        .requiredOption("--name <name>", "who contributes, as the transcript will show it", contributorName)
        .option("--entropy-file <file>", "your own entropy, any bytes; default: it is asked for")
        .action((directory: string, options: ContributeOptions) => contribute(wiring, directory, options)),
    )
    .addCommand(
      mayHaveOrigin(command(
        "verify",
        "verify all of it; ends with 1 when a check fails",
        "  tonado ceremony verify ceremony --powers bls12381_14.ptau --circuits dist/circuits\n" +
          "  tonado ceremony verify ceremony --since my-own-transcript.json",
      ))
        .option("--since <file>", "a transcript that you kept: this one must begin with it")
        .action((directory: string, options: VerifyOptions) => verify(wiring, directory, options)),
    )
    .addCommand(
      command(
        "beacon",
        "close it with a public value that nobody could choose or foresee",
        "  tonado ceremony beacon ceremony --value 00000000000000000001c0f1e2... --exponent 20",
      )
        .requiredOption("--value <hex>", "8 to 255 bytes, announced before they were known", beaconValue)
        .option(
          "--exponent <n>",
          `the value is hashed 2^n times, ${beaconExponents.least} to ${beaconExponents.most}`,
          beaconExponent,
          20,
        )
        .option("--name <name>", "what the transcript calls it", contributorName, "beacon")
        .action((directory: string, options: BeaconOptions) => beacon(wiring, directory, options)),
    )
    .addCommand(
      withOrigin(command(
        "finalize",
        "verify all of it once more, and write keys, pins, transcript and verifiers for a checkout",
        "  tonado ceremony finalize ceremony --powers bls12381_14.ptau --circuits dist/circuits --output keys",
      ))
        .requiredOption(
          "--output <directory>",
          "where the files are written, laid out as in a checkout; none is replaced",
        )
        .action((directory: string, options: OutputOptions) => finalize(wiring, directory, options)),
    )
    .addCommand(
      command(
        "export",
        "write the proving and verification keys as they are now, closed or not",
        "  tonado ceremony export ceremony --output keys",
      )
        .requiredOption("--output <directory>", "where the four files are written; none is replaced")
        .action((directory: string, options: OutputOptions) => exportAsTheyAre(wiring, directory, options)),
    )
    .addHelpText(
      "after",
      "\nThe keys are sound when one contributor of all was honest. docs/ceremony.md is the runbook.\n\n" +
        "Examples:\n  tonado ceremony contribute ceremony --name Alice\n" +
        "  tonado ceremony verify ceremony --powers bls12381_14.ptau --circuits dist/circuits",
    );
}

interface ContributeOptions extends CeremonyOptions {
  readonly name: string;
  readonly entropyFile?: string;
}

interface VerifyOptions extends OriginOptions {
  readonly since?: string;
}

interface BeaconOptions extends CeremonyOptions {
  readonly value: Uint8Array;
  readonly exponent: number;
  readonly name: string;
}

interface OutputOptions extends OriginOptions {
  readonly output: string;
}

async function init(wiring: Wiring, directory: string, options: OriginOptions): Promise<void> {
  await withStep(wiring, directory, options, async (step, talk) => {
    await withOrigin(wiring, options, async (origin) => {
      talk.begun(directory, await beginCeremony({ ...step, ...origin }));
    });
  });
}

async function contribute(wiring: Wiring, directory: string, options: ContributeOptions): Promise<void> {
  await readTranscript(wiring.ceremonyFolder(directory)); // before anybody types for nothing
  const entropy = await entropyOf(wiring, options);
  await withStep(wiring, directory, options, async (step, talk) => {
    talk.contributed(await contributeTo({ ...step, name: options.name, entropy }));
  }).finally(() => entropy.fill(0));
}

async function verify(wiring: Wiring, directory: string, options: VerifyOptions): Promise<void> {
  const earlier = options.since === undefined
    ? undefined
    : parseTranscript(wiring.readFile(options.since, LARGEST_TRANSCRIPT));
  await withStep(wiring, directory, options, async (step, talk) => {
    const check = (origin?: Origin) => verifyCeremony({ ...step, origin, earlier });
    const checks = options.powers || options.circuits
      ? await withOrigin(wiring, options, check)
      : await check();
    talk.checked(checks);
  });
}

async function beacon(wiring: Wiring, directory: string, options: BeaconOptions): Promise<void> {
  const { value, exponent, name } = options;
  await withStep(wiring, directory, options, async (step, talk) => {
    talk.contributed(await closeWithBeacon({ ...step, name, beacon: { value, exponent } }));
  });
}

async function finalize(wiring: Wiring, directory: string, options: OutputOptions): Promise<void> {
  await withStep(wiring, directory, options, async (step, talk) => {
    const transcript = await readTranscript(step.folder);
    assertClosed(transcript);
    const output = await freshOutput(wiring, options, "finalize");
    const checks = await withOrigin(wiring, options, (origin) => verifyCeremony({ ...step, origin }));
    talk.refuseFailed(checks);
    const keys = await readKeys(step.folder, transcript, transcript.contributions.length);
    talk.finalized(options.output, await writeKeys(output, keys, transcript, programPins(openArtifacts())));
  });
}

async function exportAsTheyAre(wiring: Wiring, directory: string, options: OutputOptions): Promise<void> {
  await withStep(wiring, directory, options, async ({ folder }, talk) => {
    const transcript = await readTranscript(folder);
    const output = await freshOutput(wiring, options, "export");
    await exportKeys(output, await readKeys(folder, transcript, transcript.contributions.length));
    talk.exported(options.output, transcript);
  });
}

/** The folder of `--output`: nothing that is there is replaced, and that is found before any work is done. */
async function freshOutput(
  wiring: Wiring,
  { output }: OutputOptions,
  command: keyof typeof outputs,
): Promise<Folder> {
  const folder = wiring.ceremonyFolder(output);
  for (const name of outputs[command]) {
    if (!await folder.has(name)) continue;
    throw wrong(
      "--output",
      `${output}/${name} is there already, and is not replaced; name a folder that is not there yet`,
    );
  }
  await folder.assertWritable();
  return folder;
}

interface OpenStep {
  readonly folder: Folder;
  readonly arithmetic: Arithmetic;
  readonly onProgress: (what: string, fraction: number) => void;
}

async function withStep<T>(
  wiring: Wiring,
  directory: string,
  options: CeremonyOptions,
  work: (step: OpenStep, talk: CeremonyTalk) => Promise<T>,
): Promise<T> {
  const talk = new CeremonyTalk(wiring, options);
  const arithmetic = openArithmetic();
  try {
    const onProgress = (what: string, fraction: number) => talk.progress(what, fraction);
    const done = work({ folder: wiring.ceremonyFolder(directory), arithmetic, onProgress }, talk);
    const cut = wiring.stopped().then(() => {
      throw new Problem(
        "cancelled",
        "the step was cut off, and can be made again: the transcript counts alone",
      );
    });
    return await Promise.race([done, cut]);
  } finally {
    talk.clear();
    arithmetic.close();
  }
}

async function withOrigin<T>(
  wiring: Wiring,
  options: OriginOptions,
  work: (origin: Origin) => Promise<T>,
): Promise<T> {
  const given = required(options);
  const folder = wiring.ceremonyFolder(given.circuits);
  const read = async (circuit: CircuitName) => {
    const bytes = await folder.read(`${circuit}.r1cs`, LARGEST_R1CS);
    if (bytes) return bytes;
    throw wrong("--circuits", `${given.circuits} has no ${circuit}.r1cs: \`deno task circuits\` makes it`);
  };
  const r1cs = { withdraw: await read("withdraw"), deposit: await read("deposit") };
  const powers = await wiring.openSource(given.powers);
  try {
    return await work({ powers, r1cs });
  } finally {
    powers.close();
  }
}

/** Both or neither: what one of them says can only be checked with the other. */
function required({ powers, circuits }: OriginOptions): { powers: string; circuits: string } {
  if (powers === undefined) throw wrong("--powers", "is missing: the file of phase 1");
  if (circuits === undefined) throw wrong("--circuits", "is missing: the folder of the constraint systems");
  return { powers, circuits };
}

async function entropyOf(wiring: Wiring, { entropyFile }: ContributeOptions): Promise<Uint8Array> {
  if (entropyFile !== undefined) {
    const bytes = wiring.readFile(entropyFile, LARGEST_ENTROPY);
    if (bytes.length === 0) throw wrong("--entropy-file", `${entropyFile} is empty`);
    return bytes;
  }
  const typed = await wiring.askSecret("Type at random for a while, then press Enter");
  if (typed === undefined) throw wrong("--entropy-file", "is missing, and there is no terminal to ask at");
  if (typed.reveal() === "") throw wrong("entropy", "is empty: type something that nobody can guess");
  return new TextEncoder().encode(typed.reveal());
}

/** A ceremony leaves the witness programs as they are. */
function programPins(artifacts: Artifacts): Record<CircuitName, string> {
  return { withdraw: artifacts.pin("withdraw.wasm"), deposit: artifacts.pin("deposit.wasm") };
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}

function contributorName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 63 letters, digits, spaces and . , : @ / ( ) _ -");
}

function beaconValue(text: string): Uint8Array {
  if (!hexBytes.test(text)) throw new InvalidArgumentError("It must be 8 to 255 bytes in hex.");
  const digits = text.replace(/^0x/, "");
  return Uint8Array.from(
    { length: digits.length / 2 },
    (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

function beaconExponent(text: string): number {
  const { least, most } = beaconExponents;
  if (/^[0-9]{2}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
}
