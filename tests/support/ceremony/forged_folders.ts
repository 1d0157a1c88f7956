/** Folders of a ceremony that an attacker has forged, each with the fault that `tonado ceremony verify` reports. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { pointToHex } from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import {
  type BeaconEntry,
  type Contribution,
  keyEntries,
} from "../../../src/ops/ceremony/transcript/transcript.ts";
import {
  copyFolder,
  encodeOffSubgroupG1,
  type MemoryFolder,
  multiplyG1,
  tamperTranscript,
} from "./ceremony_fixture.ts";
import { depositKeys, type ForgedCeremony, provePossession, writeProofs } from "./forged_ceremony.ts";

/** A forged folder. */
export type ForgedFolder = [
  name: string,
  forge: () => MemoryFolder | Promise<MemoryFolder>,
  /** The name of the failed check and its fault, or the names of all failed checks. */
  fault: string,
  args?: string[],
];

/** The entries are an announcement, three contributions and a beacon. */
export function forgedOrder({ honest, rewrite }: ForgedCeremony): ForgedFolder[] {
  return [
    [
      "a contribution played again",
      () => rewrite((all) => all.splice(3, 0, structuredClone(all[2]))),
      "transcript: entry_repeated",
    ],
    [
      "two contributions exchanged",
      () => rewrite((all) => all.splice(2, 2, all[3], all[2])),
      "transcript: challenge_mismatch",
    ],
    [
      "a contribution left out",
      () => rewrite((all) => all.splice(2, 1)),
      "transcript: challenge_mismatch",
    ],
    [
      "two entries exchanged, with their hashes",
      () => tamperTranscript(honest, ({ entries: all }) => all.splice(2, 2, all[3], all[2])),
      "transcript: entry_out_of_order",
    ],
    [
      "another preceding entry",
      () => tamperTranscript(honest, ({ entries }) => entries[2].previous = "00".repeat(32)),
      "transcript: entry_out_of_order",
    ],
    [
      "another contributor's name",
      () => tamperTranscript(honest, ({ entries }) => (entries[2] as Contribution).name = "Mallory"),
      "transcript: entry_altered",
    ],
    [
      "a beacon before the last contribution",
      () => rewrite((all) => all.splice(3, 0, all.pop()!)),
      "transcript: beacon_not_last",
    ],
    [
      "a beacon before all contributions",
      () => rewrite((all) => all.splice(1, 0, all.pop()!)),
      "transcript: beacon_not_last",
    ],
    [
      "two beacons",
      () => rewrite((all) => all.push(structuredClone(all[4]))),
      "transcript: beacon_not_last",
    ],
    [
      "an announcement after the beacon",
      () => rewrite((all) => all.push(structuredClone(all[0]))),
      "transcript: beacon_not_last",
    ],
    [
      "a beacon alone",
      () => rewrite((all) => all.splice(1, 3)),
      "transcript: beacon_without_contribution",
    ],
    [
      "a beacon announced after the last contribution",
      () => rewrite((all) => all.splice(3, 0, all.shift()!)),
      "transcript: beacon_not_announced",
    ],
    [
      "a beacon that was never announced",
      () => rewrite((all) => all.shift()),
      "transcript: beacon_not_announced",
    ],
  ];
}

/** Contributions with a signature that does not match. */
export function forgedSignatures({ plan, rewriteSigned }: ForgedCeremony): ForgedFolder[] {
  return [
    [
      "a signature of another contribution",
      () => rewriteSigned((all) => (all[3] as Contribution).signature = (all[2] as Contribution).signature),
      "transcript: signature_invalid",
    ],
    [
      "a signature under another named key",
      () =>
        rewriteSigned((all) =>
          (all[3] as Contribution).signature!.publicKey = plan.contributors[1].publicKey
        ),
      "transcript: signature_invalid",
    ],
    [
      "a public key that is not a point",
      () => rewriteSigned((all) => (all[3] as Contribution).signature!.publicKey = "ff".repeat(32)),
      "transcript: signature_invalid",
    ],
  ];
}

/** Beacons that do not follow from their announcement. */
export function forgedBeacons({ published, rewrite, withBeacons }: ForgedCeremony): ForgedFolder[] {
  return [
    [
      "another beacon value",
      () => rewrite((all) => (all[4] as BeaconEntry).value = "11".repeat(32)),
      "transcript: beacon_value_mismatch",
    ],
    [
      "a beacon with another value for each circuit",
      () => withBeacons({ withdraw: 1, deposit: 2 }),
      "transcript: beacon_value_mismatch",
    ],
    [
      "another number of iterations",
      () => rewrite((all) => Object.assign(all[0], { exponent: 11 })),
      "transcript: beacon_value_mismatch",
    ],
    ["a beacon that was not published", () => withBeacons({ withdraw: 3, deposit: 3 }), "beacon", [
      "--beacon-value",
      published,
    ]],
  ];
}

/** Points and proofs that do not match the contributions. */
export function forgedProofs({ transcript, rewrite, withKeys }: ForgedCeremony): ForgedFolder[] {
  return [
    [
      "a coordinate of q more",
      () => withKeys((keys) => keys.delta.g1 = addQ(keys.delta.g1)),
      "transcript: coordinate_not_canonical",
    ],
    [
      "a point outside the subgroup",
      () => withKeys((keys) => keys.proof.sx = pointToHex(encodeOffSubgroupG1())),
      "transcript: point_outside_group",
    ],
    [
      "a proof of the other circuit",
      () => rewrite((all) => depositKeys(all)[1].proof = keyEntries(transcript)[1].keys.withdraw.proof),
      "transcript: challenge_mismatch",
    ],
    [
      "an answer of another contribution",
      () => withKeys((keys, all) => keys.proof.answer = depositKeys(all)[0].proof.answer),
      "transcript: secret_not_proven",
    ],
    [
      "a delta that the contributor chose",
      () => withKeys((keys) => keys.delta.g1 = pointToHex(multiplyG1(1234n))),
      "transcript: delta_not_proven",
    ],
    [
      "a delta in G2 of another contribution",
      () => withKeys((keys, all) => keys.delta.g2 = depositKeys(all)[0].delta.g2),
      "transcript: delta_differs_between_groups",
    ],
    [
      "another contribution hash",
      () => withKeys((keys) => keys.contributionHash = "00".repeat(64)),
      "transcript: contribution_hash_mismatch",
    ],
  ];
}

/** Contributions that leave delta unchanged, with valid proofs of their secrets. */
export function forgedSecrets({ transcript, arithmetic, rewrite }: ForgedCeremony): ForgedFolder[] {
  const circuitHash = hexToBytes(transcript.circuits.deposit.circuitHash);
  return [
    ["a secret of 1", async () => {
      const proof = await provePossession(1n, { circuitHash, contributions: [] }, multiplyG1(1n), arithmetic);
      return rewrite((all) => writeProofs(all, [proof]));
    }, "transcript: delta_unchanged"],
    ["a secret that undoes the one before", async () => {
      const first = await provePossession(7n, { circuitHash, contributions: [] }, multiplyG1(7n), arithmetic);
      const inverse = bls12_381.fields.Fr.inv(7n);
      const second = await provePossession(
        inverse,
        { circuitHash, contributions: [first] },
        multiplyG1(1n),
        arithmetic,
      );
      return rewrite((all) => {
        writeProofs(all, [first, second]);
      });
    }, "transcript: delta_reset"],
  ];
}

/** Members and key files that differ from the ceremony's. */
export function forgedFiles({ honest, rewrite, withKey }: ForgedCeremony): ForgedFolder[] {
  return [
    [
      "2^9 iterations",
      () => rewrite((all) => Object.assign(all[0], { exponent: 9 })),
      "malformed: /entries/0/exponent",
    ],
    [
      "2^31 iterations",
      () => rewrite((all) => Object.assign(all[0], { exponent: 31 })),
      "malformed: /entries/0/exponent",
    ],
    [
      "a key of another file",
      () => withoutChange(honest, (files) => files.set("deposit.4.zkey", files.get("deposit.0.zkey")!)),
      "files",
    ],
    ["a missing key", () => withoutChange(honest, (files) => files.delete("withdraw.0.zkey")), "files"],
    ["another alpha", () => withKey(({ beta1 }) => ({ alpha1: beta1 })), "deposit: key"],
    [
      "another gamma, equal to delta",
      () => withKey(({ delta2 }) => ({ gamma2: delta2 })),
      "deposit: key, deposit: delta",
    ],
    ["a key without its contributions", () => withKey(() => ({ contributions: [] })), "deposit: key"],
  ];
}

/** Evidence of another ceremony. */
export function forgedEvidence({ honest, directory }: ForgedCeremony): ForgedFolder[] {
  return [
    ["other powers of tau", () => honest, "powers of tau, withdraw: initial key, deposit: initial key", [
      "--powers",
      `${directory}/other.ptau`,
      "--circuits",
      `${directory}/circuits`,
    ]],
    ["another constraint system", () => honest, "deposit: initial key", [
      "--powers",
      `${directory}/powers.ptau`,
      "--circuits",
      `${directory}/swapped`,
    ]],
    ["a transcript that does not contain an earlier one", () => honest, "earlier transcript", [
      "--since",
      `${directory}/earlier.json`,
    ]],
  ];
}

function addQ(point: string): string {
  const x = BigInt(`0x${point.slice(0, 96)}`) + BASE_FIELD_MODULUS;
  return x.toString(16).padStart(96, "0") + point.slice(96);
}

function withoutChange(folder: MemoryFolder, change: (files: MemoryFolder["files"]) => void): MemoryFolder {
  const copy = copyFolder(folder);
  change(copy.files);
  return copy;
}
