import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type AnyCircuitName, circuitsOf, type PerCircuit } from "../../../core/crypto/groth16.ts";
import type { ArithmeticPool } from "../arithmetic/pool.ts";
import { contributionHash, type ContributionHistory } from "../contribution.ts";
import { pointFromHex, pointToHex } from "../arithmetic/point_hex.ts";
import type { KeyContribution, Zkey } from "../zkey.ts";
import { signedText, type SigningKey } from "./signature.ts";
import {
  type Announcement,
  keyEntries,
  type KeyEntry,
  lastHash,
  latestAnnouncement,
  type Transcript,
  withHash,
} from "./transcript.ts";

export const BEACON_NAME = "beacon";

export function makeAnnouncement(
  transcript: Transcript,
  { source, round, exponent }: Pick<Announcement, "source" | "round" | "exponent">,
): Announcement {
  return withHash({ kind: "announcement", source, round, exponent, previous: lastHash(transcript) });
}

export async function makeKeyEntry(
  transcript: Transcript,
  written: PerCircuit<{ readonly key: Zkey; readonly sha256: string }>,
  arithmetic: ArithmeticPool,
  signingKey?: SigningKey,
): Promise<KeyEntry> {
  const keyEntryOf = async (circuit: AnyCircuitName) => {
    const { key, sha256 } = written[circuit];
    const last = key.contributions[key.contributions.length - 1];
    return {
      delta: { g1: pointToHex(last.delta), g2: pointToHex(key.delta2) },
      proof: { s: pointToHex(last.s), sx: pointToHex(last.sx), answer: pointToHex(last.answer) },
      challenge: bytesToHex(last.challenge),
      contributionHash: bytesToHex(await contributionHash(last, arithmetic)),
      zkey: sha256,
    };
  };
  const circuits = circuitsOf(written);
  const { name, beacon } = written[circuits[0]].key.contributions.at(-1)!;
  const keys: Record<string, KeyEntry["keys"][string]> = {};
  for (const circuit of circuits) keys[circuit] = await keyEntryOf(circuit);
  const previous = lastHash(transcript);
  if (beacon) return withHash({ kind: "beacon" as const, value: bytesToHex(beacon.value), keys, previous });
  const entry = { kind: "contribution" as const, name, keys, previous };
  if (signingKey === undefined) return withHash(entry);
  const signature = {
    publicKey: signingKey.publicKey,
    value: await signingKey.sign(signedText(entry)),
  };
  return withHash({ ...entry, signature });
}

export function historyOf(transcript: Transcript, circuit: AnyCircuitName): ContributionHistory {
  const exponent = latestAnnouncement(transcript)?.exponent ?? 0;
  return {
    circuitHash: hexToBytes(transcript.circuits[circuit].circuitHash),
    contributions: keyEntries(transcript).map((entry, i): KeyContribution => {
      const { delta, proof, challenge } = entry.keys[circuit];
      const point = (hex: string) => pointFromHex(hex, `${circuit}: ${entry.kind} ${i + 1}`);
      return {
        delta: point(delta.g1),
        s: point(proof.s),
        sx: point(proof.sx),
        answer: point(proof.answer),
        challenge: hexToBytes(challenge),
        ...entry.kind === "beacon"
          ? { name: BEACON_NAME, beacon: { value: hexToBytes(entry.value), exponent } }
          : { name: entry.name },
      };
    }),
  };
}
