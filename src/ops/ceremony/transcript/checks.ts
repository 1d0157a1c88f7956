import { canonicalJson } from "../../../core/text/canonical_json.ts";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type AnyCircuitName, circuitsOf } from "../../../core/crypto/groth16.ts";
import type { ArithmeticPool } from "../arithmetic/pool.ts";
import { beaconSeed, checkHistory, contributionHash } from "../contribution.ts";
import { pointFromHex } from "../arithmetic/point_hex.ts";
import { assertPointsInGroup, loadGenerators } from "../arithmetic/points.ts";
import { transcriptFault } from "../faults.ts";
import { ceremonyProblem } from "../section_file.ts";
import { historyOf } from "./entries.ts";
import { isSignatureValid } from "./signature.ts";
import {
  canonicalHash,
  closingBeacon,
  contributionsOf,
  entryName,
  headHash,
  keyEntries,
  latestAnnouncement,
  type Transcript,
} from "./transcript.ts";

const SUBJECT = "transcript";

/** Verifies entries, signatures, beacon, proofs and deltas. Throws `invalid_ceremony` for the first fault. */
export async function checkTranscript(
  transcript: Transcript,
  arithmetic: ArithmeticPool,
  onProgress: (stage: string, fraction: number) => void = () => {},
): Promise<void> {
  checkOrder(transcript);
  checkAnnouncements(transcript);
  checkRepetitions(transcript);
  checkHashChain(transcript);
  await checkSignatures(transcript);
  const circuits = circuitsOf(transcript.circuits);
  for (const [i, circuit] of circuits.entries()) {
    await checkCircuit(
      transcript,
      circuit,
      arithmetic,
      (fraction) => onProgress("checking the transcript", (i + fraction) / circuits.length),
    );
  }
  await checkBeacon(transcript, arithmetic, (fraction) => onProgress("hashing the beacon", fraction));
}

// A beacon must be last, follow a contribution, and be announced before the last one: otherwise its public
// secret could be the only one, or the last contributor could choose it.
function checkOrder({ entries }: Transcript): void {
  let announced = false;
  let contributedSince = false;
  for (const [i, { kind }] of entries.entries()) {
    const what = entryName({ entries }, i);
    if (kind === "announcement") [announced, contributedSince] = [true, false];
    if (kind === "contribution") contributedSince = announced;
    if (kind !== "beacon") continue;
    if (i !== entries.length - 1) throw transcriptFault(what, "beacon_not_last");
    if (entries.every((entry) => entry.kind !== "contribution")) {
      throw transcriptFault(what, "beacon_without_contribution");
    }
    if (!contributedSince) throw transcriptFault(what, "beacon_not_announced");
  }
}

/** A repeated announcement says nothing new. Throws `invalid_ceremony` for the first one. */
export function checkAnnouncements(transcript: Transcript): void {
  const seen = new Map<string, string>();
  for (const [i, entry] of transcript.entries.entries()) {
    if (entry.kind !== "announcement") continue;
    const { source, round, exponent } = entry;
    const content = canonicalJson({ source, round, exponent });
    const [name, first] = [entryName(transcript, i), seen.get(content)];
    if (first) throw transcriptFault(name, "entry_repeated", first);
    seen.set(content, name);
  }
}

/** The secret of a contribution must be new and must not undo earlier ones. */
function checkRepetitions(transcript: Transcript): void {
  const { entries } = transcript;
  const distinct = (circuit: AnyCircuitName): Record<string, (entry: { keys: KeysOf }) => string> => ({
    "the contribution hash": ({ keys }) => keys[circuit].contributionHash,
    "the secret": ({ keys }) => keys[circuit].proof.s + keys[circuit].proof.sx,
    "the delta": ({ keys }) => keys[circuit].delta.g1,
    "the key": ({ keys }) => keys[circuit].zkey,
  });
  for (const circuit of circuitsOf(transcript.circuits)) {
    for (const [what, valueOf] of Object.entries(distinct(circuit))) {
      const seen = new Map<string, string>();
      for (const [i, entry] of entries.entries()) {
        if (entry.kind === "announcement") continue;
        const name = entryName(transcript, i);
        const first = seen.get(valueOf(entry));
        if (first) throw transcriptFault(`${circuit}: ${name}`, "entry_repeated", `${what} of ${first}`);
        seen.set(valueOf(entry), name);
      }
    }
  }
}

type KeysOf = ReturnType<typeof keyEntries>[number]["keys"];

function checkHashChain(transcript: Transcript): void {
  let previous = headHash(transcript);
  for (const [i, { hash, ...unhashed }] of transcript.entries.entries()) {
    const what = `${SUBJECT}: ${entryName(transcript, i)}`;
    if (unhashed.previous !== previous) throw transcriptFault(what, "entry_out_of_order");
    if (hash !== canonicalHash(unhashed)) throw transcriptFault(what, "entry_altered");
    previous = hash;
  }
}

async function checkSignatures(transcript: Transcript): Promise<void> {
  for (const [i, entry] of transcript.entries.entries()) {
    if (entry.kind !== "contribution" || entry.signature === undefined) continue;
    if (await isSignatureValid(entry.signature, entry)) continue;
    throw transcriptFault(entryName(transcript, i), "signature_invalid");
  }
}

async function checkCircuit(
  transcript: Transcript,
  circuit: AnyCircuitName,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { g1, g2 } = await loadGenerators(arithmetic);
  const history = historyOf(transcript, circuit);
  await checkHistory(history, arithmetic, `${circuit}: `, onProgress);
  for (const [i, entry] of keyEntries(transcript).entries()) {
    const what = `${circuit}: ${entry.kind} ${i + 1}`;
    const listed = entry.keys[circuit];
    const delta2 = pointFromHex(listed.delta.g2, what);
    await assertPointsInGroup(arithmetic, "G2", delta2, what);
    if (!await arithmetic.run("sameRatio", g1, history.contributions[i].delta, g2, delta2)) {
      throw transcriptFault(what, "delta_differs_between_groups");
    }
    if (
      bytesToHex(await contributionHash(history.contributions[i], arithmetic)) !== listed.contributionHash
    ) {
      throw transcriptFault(what, "contribution_hash_mismatch");
    }
  }
}

async function checkBeacon(
  transcript: Transcript,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const [beacon, announced] = [closingBeacon(transcript), latestAnnouncement(transcript)];
  if (beacon === undefined || announced === undefined) return;
  const value = { value: hexToBytes(beacon.value), exponent: announced.exponent };
  const opening = bytesToHex(
    await arithmetic.run("opening", await beaconSeed(value, arithmetic, onProgress)),
  );
  for (const circuit of circuitsOf(transcript.circuits)) {
    const { s, sx } = beacon.keys[circuit].proof;
    if (bytesToHex(pointFromHex(s)) + bytesToHex(pointFromHex(sx)) === opening) continue;
    throw transcriptFault(
      `${circuit}: ${entryName(transcript, transcript.entries.length - 1)}`,
      "beacon_value_mismatch",
    );
  }
}

/** Throws `invalid_ceremony` unless contributions exist and a beacon has closed the ceremony. */
export function assertClosed(transcript: Transcript): void {
  if (closingBeacon(transcript) === undefined) {
    throw ceremonyProblem(
      "ceremony",
      "is open: close it with `tonado ceremony beacon`",
      "Close it after the last contribution.",
    );
  }
  if (contributionsOf(transcript).length === 0) {
    throw ceremonyProblem(
      "ceremony",
      "has no contribution: the secret of a beacon is public",
      "Begin another ceremony.",
    );
  }
}

/** Checks that `later` begins with all of `earlier`. Throws `invalid_ceremony` with the first difference. */
export function checkExtends(later: Transcript, earlier: Transcript): void {
  if (headHash(later) !== headHash(earlier)) throw ceremonyProblem(SUBJECT, "belongs to another ceremony");
  for (const [i, entry] of earlier.entries.entries()) {
    const found = later.entries[i];
    const what = entryName(earlier, i);
    if (found?.hash !== entry.hash) {
      throw ceremonyProblem(SUBJECT, `has another ${what} than the earlier one`);
    }
    if (canonicalJson(found) !== canonicalJson(entry)) {
      throw ceremonyProblem(`kept ${SUBJECT}`, `was altered: ${what} does not match its hash`);
    }
  }
}
