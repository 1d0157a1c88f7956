import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AnyCircuitName, circuitsOf } from "../../core/crypto/groth16.ts";
import { checkFailed, checkPassed, type CheckResult, checkWarning } from "../../core/errors/check_result.ts";
import { Problem } from "../../core/errors/problem.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { type CeremonyInputs, type CeremonyStep, hashPowers, progressReporter } from "./ceremony.ts";
import { type KeyPair, type LoadedCeremony, requireKeys } from "./ceremony_folder.ts";
import { type CeremonyPlan, contributorShortfall, namedSigners, planOf } from "./ceremony_plan.ts";
import { faultOf } from "./faults.ts";
import { makeInitialKey } from "./initial_key.ts";
import { checkDelta, checkInitialKey, checkKey } from "./key_checks.ts";
import { checkPowersOfTau, openPowersOfTau, type PowersOfTau } from "./powers_of_tau.ts";
import { ceremonyProblem, equalBytes } from "./section_file.ts";
import { checkExtends, checkTranscript } from "./transcript/checks.ts";
import { historyOf } from "./transcript/entries.ts";
import {
  closingBeacon,
  contributionsOf,
  latestAnnouncement,
  type Transcript,
} from "./transcript/transcript.ts";
import { serializeZkey } from "./zkey.ts";

export interface Evidence {
  readonly plan: CeremonyPlan;
  /** To build the initial keys again. Without inputs, they are only compared with the plan. */
  readonly inputs?: CeremonyInputs;
  readonly earlierTranscript?: Transcript;
  readonly beaconValue?: Uint8Array;
}

export type Verification = Omit<CeremonyStep, "folder"> & Evidence & { readonly ceremony: LoadedCeremony };

/** Faults are failed checks. */
export async function verifyCeremony(verification: Verification): Promise<CheckResult[]> {
  const { inputs, earlierTranscript, ceremony: { transcript } } = verification;
  const results = [(await runCheck("transcript", () => verifyTranscript(verification))).result];
  if (results[0].verdict !== "failed") {
    results.push((await runCheck("beacon", () => verifyBeacon(verification))).result);
    results.push(verifyContributors(verification));
  }
  if (earlierTranscript) {
    results.push(
      (await runCheck("earlier transcript", () => verifyExtends(transcript, earlierTranscript))).result,
    );
  }
  const { result, value: keys } = await runCheck("files", () => verifyFiles(verification));
  results.push(result, (await runCheck("initial keys", () => verifyPinned(verification))).result);
  if (keys === undefined) return results;
  const powers = inputs && await runCheck("powers of tau", () => verifyPowers(verification, inputs));
  if (powers) results.push(powers.result);
  for (const circuit of circuitsOf(transcript.circuits)) {
    results.push(...await verifyCircuit(verification, circuit, keys, powers?.value));
  }
  return results;
}

async function verifyCircuit(
  verification: Verification,
  circuit: AnyCircuitName,
  keys: KeyPair,
  powers: PowersOfTau | undefined,
): Promise<CheckResult[]> {
  const { inputs } = verification;
  const initialKey = inputs && await runCheck(
    `${circuit}: initial key`,
    () => verifyInitialKey(verification, circuit, keys, inputs, powers),
  );
  const key = await runCheck(`${circuit}: key`, () => verifyKey(verification, circuit, keys));
  const delta = await runCheck(`${circuit}: delta`, async () => {
    await checkDelta(keys.current[circuit], verification.arithmetic);
    return { detail: "is not 1 and not gamma" };
  });
  return [...initialKey ? [initialKey.result] : [], key.result, delta.result];
}

interface Passed<T = undefined> {
  readonly detail: string;
  readonly warning?: boolean;
  readonly value?: T;
}

async function verifyTranscript(
  { arithmetic, onProgress, ceremony: { transcript } }: Verification,
): Promise<Passed> {
  await checkTranscript(transcript, arithmetic, onProgress);
  const state = closingBeacon(transcript) ? "closed by a beacon" : "open";
  return { detail: `${pluralize(contributionsOf(transcript).length, "contribution")}, ${state}` };
}

/** Requires a verified transcript. */
function verifyBeacon({ beaconValue, plan, ceremony: { transcript } }: Verification): Passed {
  const [beacon, announced] = [closingBeacon(transcript), latestAnnouncement(transcript)];
  if (announced === undefined) return { warning: true, detail: "none is announced yet" };
  const round = `${announced.source}, round ${announced.round}, 2^${announced.exponent} iterations`;
  const pinned = planOf(plan, transcript).beacon;
  if (pinned && (pinned.source !== announced.source || pinned.round !== announced.round)) {
    throw ceremonyProblem(
      "beacon",
      `is of ${round}: the release pins ${pinned.source}, round ${pinned.round}`,
    );
  }
  if (beacon === undefined) return { detail: `announced: ${round}` };
  const published = [...beaconValue ? [bytesToHex(beaconValue)] : [], ...pinned ? [pinned.value] : []];
  if (published.length === 0) {
    return { warning: true, detail: `${round}: compare with the published value: ${beacon.value}` };
  }
  if (published.some((value) => value !== beacon.value)) {
    throw ceremonyProblem("beacon", `has another value than was published: ${beacon.value} (${round})`);
  }
  return { detail: `${round}: is the published value` };
}

/** Too few contributors do not invalidate a ceremony, but its keys are labelled weak. */
function verifyContributors({ plan, ceremony: { transcript } }: Verification): CheckResult {
  const shortfall = contributorShortfall(transcript, plan);
  if (shortfall !== undefined) return checkWarning("contributors", shortfall);
  const names = namedSigners(transcript, plan).map(({ name }) => name).join(", ");
  return checkPassed("contributors", `signed by ${names}`);
}

function verifyExtends(transcript: Transcript, earlier: Transcript): Passed {
  checkExtends(transcript, earlier);
  return { detail: `its contents are unchanged, number of entries: ${earlier.entries.length}` };
}

function verifyFiles({ ceremony }: Verification): Passed<KeyPair> {
  return { detail: "the keys have the hashes in the transcript", value: requireKeys(ceremony) };
}

function verifyPinned({ plan, ceremony: { transcript } }: Verification): Passed {
  const { initialKeys } = planOf(plan, transcript);
  if (initialKeys === null) {
    return { warning: true, detail: "this release pins none: artifacts/ceremony.json" };
  }
  for (const circuit of circuitsOf(transcript.circuits)) {
    if (transcript.circuits[circuit].zkey === initialKeys[circuit]) continue;
    throw ceremonyProblem(`${circuit}.0.zkey`, "is not the initial key that the release pins");
  }
  return { detail: "are those that the release pins" };
}

async function verifyPowers(
  verification: Verification,
  inputs: CeremonyInputs,
): Promise<Passed<PowersOfTau>> {
  const { arithmetic, ceremony: { transcript } } = verification;
  const powers = await openPowersOfTau(inputs.powers);
  const { sha256, power } = transcript.powers;
  const otherFile = "are another file than the ceremony began with";
  const hint = "Give the file whose SHA-256 is in the transcript.";
  if (powers.power !== power) {
    throw ceremonyProblem("powers of tau", `${otherFile}: 2^${powers.power} rows, not 2^${power}`, hint);
  }
  if (await hashPowers(verification, inputs.powers) !== sha256) {
    throw ceremonyProblem("powers of tau", otherFile, hint);
  }
  await checkPowersOfTau(powers, arithmetic, progressReporter(verification, "checking the powers of tau"));
  return { detail: `2^${power}, every point checked`, value: powers };
}

async function verifyInitialKey(
  verification: Verification,
  circuit: AnyCircuitName,
  { initial }: KeyPair,
  { r1cs }: CeremonyInputs,
  powers: PowersOfTau | undefined,
): Promise<Passed> {
  if (powers === undefined) {
    throw ceremonyProblem("initial key", "cannot be compared with these powers of tau");
  }
  const { arithmetic, ceremony: { transcript } } = verification;
  if (bytesToHex(sha256(r1cs[circuit])) !== transcript.circuits[circuit].r1cs) {
    throw ceremonyProblem(
      "constraint system",
      "is another one than the ceremony began with",
      "Make it from the sources that the ceremony began with: `deno task circuits`.",
    );
  }
  const onProgress = progressReporter(verification, `building the initial key of ${circuit}`);
  const rebuilt = await makeInitialKey(r1cs[circuit], powers, arithmetic, onProgress);
  if (!equalBytes(serializeZkey(rebuilt), serializeZkey(initial[circuit]))) {
    await checkInitialKey(initial[circuit], r1cs[circuit], powers, arithmetic); // names the section that differs
    throw ceremonyProblem("initial key", "differs from the one built from the circuit and the powers of tau");
  }
  return { detail: "is the one built from the circuit and the powers of tau" };
}

async function verifyKey(
  verification: Verification,
  circuit: AnyCircuitName,
  { initial, current }: KeyPair,
): Promise<Passed> {
  const { arithmetic, ceremony: { transcript } } = verification;
  progressReporter(verification, `checking the key of ${circuit}`)(0);
  if (bytesToHex(initial[circuit].circuitHash) !== transcript.circuits[circuit].circuitHash) {
    throw ceremonyProblem("initial key", "has another circuit hash than the transcript");
  }
  await checkKey(current[circuit], initial[circuit], historyOf(transcript, circuit), arithmetic);
  return { detail: "the initial one over the delta of all contributions" };
}

async function runCheck<T>(
  name: string,
  verify: () => Passed<T> | Promise<Passed<T>>,
): Promise<{ readonly result: CheckResult; readonly value?: T }> {
  try {
    const { detail, value, warning } = await verify();
    return { result: (warning ? checkWarning : checkPassed)(name, detail), value };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_ceremony") throw error;
    return { result: { ...checkFailed(name, error.message), fault: faultOf(error) } };
  }
}
