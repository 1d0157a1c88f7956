/** Rehearses a ceremony on tiny circuits with public powers of tau: the keys are insecure and fit no pool. */
import { bytesToHex } from "@noble/hashes/utils.js";
import { circuitsOf, circuitsVersion, type PerCircuit } from "../../../core/crypto/groth16.ts";
import type { CheckResult } from "../../../core/errors/check_result.ts";
import { writeKeys, type WrittenKeys } from "../../keys/key_export.ts";
import {
  announceBeacon,
  beginCeremony,
  type CeremonyStep,
  closeWithBeacon,
  contributeToCeremony,
} from "../ceremony.ts";
import { type CeremonyFolder, loadCeremony } from "../ceremony_folder.ts";
import type { CeremonyPlan } from "../ceremony_plan.ts";
import { ceremonyProblem, memorySource } from "../section_file.ts";
import { createSigningKey, openSigningKey } from "../transcript/signature.ts";
import { contributionsOf, type Transcript } from "../transcript/transcript.ts";
import { verifyCeremony } from "../verify_ceremony.ts";
import { insecurePowersOfTau } from "./insecure_powers.ts";
import { TINY_POWER, TINY_POWER_2, tinyCircuits } from "./tiny_circuits.ts";

/** Both folders must be empty. */
interface RehearsalSetup extends CeremonyStep {
  readonly keysFolder: CeremonyFolder;
  /** SHA-256 of the witness programs. Their circuits decide which pool version is rehearsed. */
  readonly programPins: PerCircuit<string>;
  readonly onStep?: (step: RehearsedStep) => void;
}

export interface RehearsedStep {
  readonly name: string;
  readonly detail: string;
}

export interface Rehearsal {
  readonly powers: Uint8Array;
  readonly r1cs: PerCircuit<Uint8Array>;
  readonly plan: CeremonyPlan;
  readonly checks: readonly CheckResult[];
  readonly keys: WrittenKeys;
}

const CONTRIBUTORS = ["Coordinator", "Alice", "Bob"];
const ANNOUNCEMENT = { source: "rehearsal", round: 1, exponent: 10 };

/** Throws `invalid_ceremony` if a check fails, `cancelled` if the arithmetic is closed. */
export async function rehearseCeremony(setup: RehearsalSetup): Promise<Rehearsal> {
  const { folder, keysFolder, programPins, onStep = () => {} } = setup;
  const version = circuitsVersion(programPins);
  const power = version === 2 ? TINY_POWER_2 : TINY_POWER;
  const inputs = { powers: insecurePowersOfTau(power), r1cs: tinyCircuits(version) };
  const sources = { powers: memorySource(inputs.powers), r1cs: inputs.r1cs };
  const begun = await beginCeremony({ ...setup, ...sources });
  onStep({ name: "init", detail: `both initial keys, from powers of tau for 2^${power} rows` });

  const signers = await Promise.all(CONTRIBUTORS.map(async (name) => ({
    name,
    key: await openSigningKey((await createSigningKey()).pem),
  })));
  onStep({ name: "keygen", detail: `${signers.length} signing keys, named in the plan` });

  await announceBeacon({ ...setup, announcement: ANNOUNCEMENT });
  onStep({ name: "announce", detail: `round ${ANNOUNCEMENT.round} of the source "${ANNOUNCEMENT.source}"` });

  let earlierTranscript = begun;
  for (const { name, key } of signers) {
    const entropy = crypto.getRandomValues(new Uint8Array(64));
    const transcript = await contributeToCeremony({ ...setup, name, entropy, signingKey: key })
      .finally(() => entropy.fill(0));
    if (name === signers[0].name) earlierTranscript = transcript;
    const count = contributionsOf(transcript).length;
    onStep({ name: "contribute", detail: `contribution ${count}, signed by ${name}` });
  }

  const value = crypto.getRandomValues(new Uint8Array(32));
  await closeWithBeacon({ ...setup, value });
  onStep({ name: "beacon", detail: `closed with the value ${bytesToHex(value)}` });
  const plan = planFor(
    begun,
    signers.map(({ name, key }) => ({ name, publicKey: key.publicKey })),
    bytesToHex(value),
  );

  const ceremony = await loadCeremony(folder);
  const checks = await verifyCeremony({
    ...setup,
    ceremony,
    plan,
    inputs: sources,
    earlierTranscript,
    beaconValue: value,
  });
  for (const { verdict, name, detail } of checks) {
    if (verdict !== "ok") throw ceremonyProblem(`${name}:`, detail);
  }
  onStep({ name: "verify", detail: `${checks.length} checks passed` });

  const keys = await writeKeys(keysFolder, { ceremony, plan, programPins, rehearsal: true });
  onStep({ name: "finalize", detail: keys.label });
  return { ...inputs, plan, checks, keys };
}

function planFor(
  { circuits }: Transcript,
  contributors: readonly { readonly name: string; readonly publicKey: string }[],
  beaconValue: string,
): CeremonyPlan {
  const plan = {
    initialKeys: Object.fromEntries(circuitsOf(circuits).map((circuit) => [circuit, circuits[circuit].zkey])),
    contributors: contributors.map((each, i) => ({ ...each, ...i === 0 && { coordinator: true } })),
    beacon: { source: ANNOUNCEMENT.source, round: ANNOUNCEMENT.round, value: beaconValue },
  };
  return circuitsVersion(circuits) === 2 ? { initialKeys: null, contributors: [], version2: plan } : plan;
}
