/** Verifies that the keys come from the release's ceremony. Mainnet accepts no other keys. */
import { type AnyCircuitName, circuitsOfVersion, circuitsVersion } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import { openArithmeticPool } from "../ceremony/arithmetic/pool.ts";
import {
  type CeremonyFolder,
  loadCeremony,
  requireKeys,
  TRANSCRIPT_FILE,
} from "../ceremony/ceremony_folder.ts";
import { type CeremonyPlan, committedPlan, keysLabel, planOf } from "../ceremony/ceremony_plan.ts";
import { ceremonyProblem, equalBytes } from "../ceremony/section_file.ts";
import { assertClosed } from "../ceremony/transcript/checks.ts";
import type { Transcript } from "../ceremony/transcript/transcript.ts";
import { verifyCeremony } from "../ceremony/verify_ceremony.ts";
import { verificationKeyBytes } from "./key_export.ts";

/** Throws `invalid_ceremony` with the first fault, `artifact_corrupted` if a file does not match its pin. */
export async function checkPinnedKeys(
  artifacts: Artifacts,
  version: 1 | 2,
  plan: CeremonyPlan = committedPlan(),
): Promise<Transcript> {
  if (await artifacts.loadTranscript(version) === undefined) {
    throw ceremonyProblem("keys", "have no transcript of a ceremony");
  }
  const ceremony = await loadCeremony({ read: (name) => readArtifact(artifacts, version, name) });
  const { transcript } = ceremony;
  if (circuitsVersion(transcript.circuits) !== version) {
    throw ceremonyProblem("transcript", `is not of the circuits of version ${version}`);
  }
  const { initialKeys, beacon } = planOf(plan, transcript);
  if (initialKeys === null) throw ceremonyProblem("release", "pins no initial keys of a ceremony");
  if (beacon === undefined) {
    throw ceremonyProblem(
      "release",
      "pins no beacon of a ceremony",
      "Add `beacon` with the announced source and round and the published value to artifacts/ceremony.json.",
    );
  }
  assertClosed(transcript);
  const arithmetic = openArithmeticPool();
  try {
    const checks = await verifyCeremony({ ceremony, plan, arithmetic });
    const failed = checks.find(({ verdict }) => verdict === "failed");
    if (failed) throw ceremonyProblem(`${failed.name}:`, failed.detail);
  } finally {
    arithmetic.close();
  }
  const { current } = requireKeys(ceremony);
  for (const circuit of circuitsOfVersion[version]) {
    const expected = verificationKeyBytes(current[circuit]);
    if (equalBytes(await artifacts.load(`${circuit}.vkey.json`), expected)) continue;
    throw ceremonyProblem(`${circuit}.vkey.json`, `is not the verification key inside ${circuit}.zkey`);
  }
  const label = keysLabel(transcript, plan);
  const pinned = version === 2 ? artifacts.version2Label : artifacts.label;
  if (pinned !== label) {
    throw ceremonyProblem(
      "pins.json",
      `calls the keys "${pinned}", the transcript shows "${label}"`,
    );
  }
  return transcript;
}

async function readArtifact(
  artifacts: Artifacts,
  version: 1 | 2,
  name: string,
): ReturnType<CeremonyFolder["read"]> {
  if (name === TRANSCRIPT_FILE) return await artifacts.loadTranscript(version);
  const [circuit, contributions] = name.split(".") as [AnyCircuitName, string];
  return contributions === "0"
    ? await artifacts.loadInitialKey(circuit)
    : await artifacts.load(`${circuit}.zkey`);
}

/** Returns why {@linkcode checkPinnedKeys} rejects the keys, or undefined. */
export async function findPinnedKeysFault(
  artifacts: Artifacts,
  version: 1 | 2,
): Promise<string | undefined> {
  try {
    await checkPinnedKeys(artifacts, version);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
