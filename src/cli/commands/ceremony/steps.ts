import { type AnyCircuitName, circuitsOfVersion, circuitsVersion } from "../../../core/crypto/groth16.ts";
import {
  announceBeacon,
  beginCeremony,
  type CeremonyInputs,
  closeWithBeacon,
  contributeToCeremony,
} from "../../../ops/ceremony/ceremony.ts";
import { verifyCeremony } from "../../../ops/ceremony/verify_ceremony.ts";
import {
  type CeremonyFolder,
  forEachCircuit,
  loadCeremony,
  readTranscript,
  requireKeys,
} from "../../../ops/ceremony/ceremony_folder.ts";
import {
  type CeremonyPlan,
  committedPlan,
  MAX_PLAN_BYTES,
  parseCeremonyPlan,
} from "../../../ops/ceremony/ceremony_plan.ts";
import { assertExportable, exportKeys, outputFiles, writeKeys } from "../../../ops/keys/key_export.ts";
import {
  MAX_ENTROPY_BYTES,
  MAX_R1CS_BYTES,
  MAX_TRANSCRIPT_BYTES,
} from "../../../ops/ceremony/size_limits.ts";
import {
  createSigningKey,
  MAX_SIGNING_KEY_BYTES,
  openSigningKey,
} from "../../../ops/ceremony/transcript/signature.ts";
import { parseTranscript } from "../../../ops/ceremony/transcript/transcript.ts";
import type { CliContext } from "../../context.ts";
import { usageError } from "../../options/usage_error.ts";
import { CeremonyView } from "../../output/ceremony_view.ts";
import type { OutputOptions } from "../../output/print.ts";
import { readTextFile } from "../../output/system_errors.ts";
import { openUnusedOutput, runStep, type StepTools, witnessProgramPins } from "./run_step.ts";

interface InputOptions extends OutputOptions {
  readonly powers?: string;
  readonly circuits?: string;
}

export interface InitOptions extends InputOptions {
  readonly poolVersion: 1 | 2;
}

export interface AnnounceOptions extends OutputOptions {
  readonly source: string;
  readonly round: number;
  readonly exponent: number;
}

export interface ContributeOptions extends OutputOptions {
  readonly name: string;
  readonly entropyFile?: string;
  readonly signingKey?: string;
}

export interface VerifyOptions extends InputOptions {
  readonly full?: boolean;
  readonly since?: string;
  readonly beaconValue?: Uint8Array;
  readonly plan?: string;
}

export interface BeaconOptions extends OutputOptions {
  readonly value: Uint8Array;
}

export interface KeysOptions extends InputOptions {
  readonly output: string;
}

export interface FinalizeOptions extends KeysOptions {
  readonly fewContributors?: boolean;
  readonly plan?: string;
}

export async function keygen(context: CliContext, file: string, options: OutputOptions): Promise<void> {
  const { pem, publicKey } = await createSigningKey();
  await context.writeNewFile(file, ReadableStream.from([new TextEncoder().encode(pem)]));
  new CeremonyView(context, options).showSigningKey(file, publicKey);
}

export async function init(context: CliContext, directory: string, options: InitOptions): Promise<void> {
  await runFolderStep(context, directory, options, async (step, view) => {
    await withCeremonyInputs(context, options, options.poolVersion, async (inputs) => {
      view.showStarted(directory, await beginCeremony({ ...step, ...inputs }));
    });
  });
}

export async function contribute(
  context: CliContext,
  directory: string,
  options: ContributeOptions,
): Promise<void> {
  const { name, signingKey: keyFile } = options;
  await readTranscript(context.ceremonyFolder(directory)); // fail before the user types entropy
  const signingKey = keyFile === undefined
    ? undefined
    : await openSigningKey(readTextFile(context, keyFile, MAX_SIGNING_KEY_BYTES));
  const entropy = await readEntropy(context, options);
  await runFolderStep(context, directory, options, async (step, view) => {
    view.showEntry(await contributeToCeremony({ ...step, name, entropy, signingKey }));
  }).finally(() => entropy.fill(0));
}

export async function announce(
  context: CliContext,
  directory: string,
  options: AnnounceOptions,
): Promise<void> {
  await runFolderStep(context, directory, options, async (step, view) => {
    view.showEntry(await announceBeacon({ ...step, announcement: options }));
  });
}

export async function verify(context: CliContext, directory: string, options: VerifyOptions): Promise<void> {
  const earlier = options.since === undefined
    ? undefined
    : parseTranscript(context.readFile(options.since, MAX_TRANSCRIPT_BYTES));
  const { full = false, powers, circuits, beaconValue } = options;
  const plan = readPlan(context, options);
  const isFull = full || powers !== undefined || circuits !== undefined;
  if (isFull) requireInputs(options); // fail before the folder is read
  await runFolderStep(context, directory, options, async (step, view) => {
    const ceremony = await loadCeremony(step.folder);
    const check = (inputs?: CeremonyInputs) =>
      verifyCeremony({ ...step, ceremony, plan, inputs, earlierTranscript: earlier, beaconValue });
    const version = circuitsVersion(ceremony.transcript.circuits);
    const checks = isFull ? await withCeremonyInputs(context, options, version, check) : await check();
    view.showChecks(checks);
  });
}

export async function beacon(context: CliContext, directory: string, options: BeaconOptions): Promise<void> {
  const { value } = options;
  await runFolderStep(context, directory, options, async (step, view) => {
    view.showEntry(await closeWithBeacon({ ...step, value }));
  });
}

export async function finalize(
  context: CliContext,
  directory: string,
  options: FinalizeOptions,
): Promise<void> {
  const plan = readPlan(context, options);
  await runFolderStep(context, directory, options, async (step, view) => {
    const ceremony = await loadCeremony(step.folder);
    const version = circuitsVersion(ceremony.transcript.circuits);
    const programPins = witnessProgramPins(version);
    const keys = { ceremony, plan, programPins, fewContributors: options.fewContributors };
    assertExportable(keys);
    const output = await openUnusedOutput(context, options.output, outputFiles("finalize", version));
    const checks = await withCeremonyInputs(
      context,
      options,
      version,
      (inputs) => verifyCeremony({ ...step, ceremony, plan, inputs }),
    );
    view.assertNoneFailed(checks);
    view.showFinalized(options.output, await writeKeys(output, keys));
  });
}

function readPlan(context: CliContext, { plan }: { readonly plan?: string }): CeremonyPlan {
  return plan === undefined ? committedPlan() : parseCeremonyPlan(context.readFile(plan, MAX_PLAN_BYTES));
}

export async function exportCurrentKeys(
  context: CliContext,
  directory: string,
  options: KeysOptions,
): Promise<void> {
  await runFolderStep(context, directory, options, async ({ folder }, view) => {
    const ceremony = await loadCeremony(folder);
    const files = outputFiles("export", circuitsVersion(ceremony.transcript.circuits));
    const output = await openUnusedOutput(context, options.output, files);
    await exportKeys(output, requireKeys(ceremony).current);
    view.showExported(options.output, ceremony.transcript);
  });
}

async function runFolderStep<T>(
  context: CliContext,
  directory: string,
  options: OutputOptions,
  work: (step: StepTools & { readonly folder: CeremonyFolder }, view: CeremonyView) => Promise<T>,
): Promise<T> {
  return await runStep(
    context,
    options,
    (tools, view) => work({ ...tools, folder: context.ceremonyFolder(directory) }, view),
  );
}

async function withCeremonyInputs<T>(
  context: CliContext,
  options: InputOptions,
  version: 1 | 2,
  work: (inputs: CeremonyInputs) => Promise<T>,
): Promise<T> {
  const paths = requireInputs(options);
  const folder = context.ceremonyFolder(paths.circuits);
  const read = async (circuit: AnyCircuitName) => {
    const bytes = await folder.read(`${circuit}.r1cs`, MAX_R1CS_BYTES);
    if (bytes) return bytes;
    throw usageError(
      "--circuits",
      `${paths.circuits} has no ${circuit}.r1cs: \`deno task circuits\` makes it`,
    );
  };
  const r1cs = await forEachCircuit(circuitsOfVersion[version], read);
  const powers = await context.openSource(paths.powers);
  try {
    return await work({ powers, r1cs });
  } finally {
    powers.close();
  }
}

/** Phase 1 and the constraint systems are checked against each other. */
function requireInputs({ powers, circuits }: InputOptions): { powers: string; circuits: string } {
  if (powers === undefined) throw usageError("--powers", "is missing: the file of phase 1");
  if (circuits === undefined) {
    throw usageError("--circuits", "is missing: the folder of the constraint systems");
  }
  return { powers, circuits };
}

async function readEntropy(context: CliContext, { entropyFile }: ContributeOptions): Promise<Uint8Array> {
  if (entropyFile !== undefined) {
    const bytes = context.readFile(entropyFile, MAX_ENTROPY_BYTES);
    if (bytes.length === 0) throw usageError("--entropy-file", `${entropyFile} is empty`);
    return bytes;
  }
  const typed = await context.promptSecret("Type at random for a while, then press Enter");
  if (typed === undefined) {
    throw usageError("--entropy-file", "is missing, and there is no terminal to type at");
  }
  if (typed.reveal() === "") throw usageError("entropy", "is empty: type something unpredictable");
  return new TextEncoder().encode(typed.reveal());
}
