/** Verifies that the keys come from the release's ceremony. Mainnet accepts no other keys. */
import { type CircuitName, circuitNames } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import { openArithmeticPool } from "../ceremony/arithmetic/pool.ts";
import {
  type CeremonyFolder,
  loadCeremony,
  requireKeys,
  TRANSCRIPT_FILE,
} from "../ceremony/ceremony_folder.ts";
import { type CeremonyPlan, committedPlan, keysLabel } from "../ceremony/ceremony_plan.ts";
import { ceremonyProblem, equalBytes } from "../ceremony/section_file.ts";
import { assertClosed } from "../ceremony/transcript/checks.ts";
import type { Transcript } from "../ceremony/transcript/transcript.ts";
import { verifyCeremony } from "../ceremony/verify_ceremony.ts";
import { verificationKeyBytes } from "./key_export.ts";

/** Throws `invalid_ceremony` with the first fault, `artifact_corrupted` if a file does not match its pin. */
export async function checkPinnedKeys(
  artifacts: Artifacts,
  plan: CeremonyPlan = committedPlan(),
): Promise<Transcript> {
  if (await artifacts.loadTranscript() === undefined) {
    throw ceremonyProblem("keys", "have no transcript of a ceremony");
  }
  if (plan.initialKeys === null) throw ceremonyProblem("release", "pins no initial keys of a ceremony");
  const ceremony = await loadCeremony({ read: (name) => readArtifact(artifacts, name) });
  const { transcript } = ceremony;
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
  for (const circuit of circuitNames) {
    const expected = verificationKeyBytes(current[circuit]);
    if (equalBytes(await artifacts.load(`${circuit}.vkey.json`), expected)) continue;
    throw ceremonyProblem(`${circuit}.vkey.json`, `is not the verification key inside ${circuit}.zkey`);
  }
  const label = keysLabel(transcript, plan);
  if (artifacts.label !== label) {
    throw ceremonyProblem(
      "pins.json",
      `calls the keys "${artifacts.label}", the transcript shows "${label}"`,
    );
  }
  return transcript;
}

async function readArtifact(artifacts: Artifacts, name: string): ReturnType<CeremonyFolder["read"]> {
  if (name === TRANSCRIPT_FILE) return await artifacts.loadTranscript();
  const [circuit, contributions] = name.split(".") as [CircuitName, string];
  return contributions === "0"
    ? await artifacts.loadInitialKey(circuit)
    : await artifacts.load(`${circuit}.zkey`);
}

/** Returns why {@linkcode checkPinnedKeys} rejects the keys, or undefined. */
export async function findPinnedKeysFault(artifacts: Artifacts): Promise<string | undefined> {
  try {
    await checkPinnedKeys(artifacts);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
