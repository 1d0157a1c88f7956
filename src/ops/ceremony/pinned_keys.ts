/**
 * Whether this build's keys come out of a ceremony: its transcript is among the artifacts, verifies, was closed by a
 * beacon, and its last contribution made the very files that are pinned. Mainnet takes no other keys.
 */
import { Problem } from "../../core/errors.ts";
import { type CircuitName, circuits } from "../../core/groth16.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import { type Arithmetic, openArithmetic } from "./arithmetic.ts";
import { checkDelta } from "./key_checks.ts";
import { assertClosed, verificationKeyBytes } from "./keys.ts";
import { pointText } from "./point_text.ts";
import { refused, sameBytes } from "./sections.ts";
import { checkTranscript, parseTranscript, type Transcript } from "./transcript.ts";
import { parseZkey } from "./zkey.ts";

/**
 * @throws {Problem} `invalid_ceremony` with what is missing or does not fit, `artifact_corrupted` for a file that is not
 *   the pinned one
 */
export async function checkPinnedKeys(artifacts: Artifacts): Promise<Transcript> {
  const bytes = await artifacts.transcript();
  if (bytes === undefined) throw refused("keys", "have no transcript of a ceremony");
  const transcript = parseTranscript(bytes);
  assertClosed(transcript);
  const arithmetic = openArithmetic();
  try {
    await checkTranscript(transcript, arithmetic);
    const { keys } = transcript.contributions[transcript.contributions.length - 1];
    for (const circuit of circuits) {
      if (artifacts.pin(`${circuit}.zkey`) !== keys[circuit].zkey) {
        throw refused(`${circuit}.zkey`, "is not the key that the ceremony ended with");
      }
      await checkFiles(artifacts, circuit, keys[circuit].delta.g2, arithmetic);
    }
  } finally {
    arithmetic.close();
  }
  return transcript;
}

async function checkFiles(
  artifacts: Artifacts,
  circuit: CircuitName,
  delta: string,
  arithmetic: Arithmetic,
): Promise<void> {
  const key = await parseZkey(await artifacts.load(`${circuit}.zkey`), `${circuit}.zkey`);
  await checkDelta(key, arithmetic);
  if (pointText(key.delta2) !== delta) {
    throw refused(`${circuit}.zkey`, "has another delta than the transcript");
  }
  if (!sameBytes(await artifacts.load(`${circuit}.vkey.json`), verificationKeyBytes(key))) {
    throw refused(`${circuit}.vkey.json`, `is not the verification key inside ${circuit}.zkey`);
  }
}

/** The reason why {@linkcode checkPinnedKeys} refuses, if it does. */
export async function faultOfPinnedKeys(artifacts: Artifacts): Promise<string | undefined> {
  try {
    await checkPinnedKeys(artifacts);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
