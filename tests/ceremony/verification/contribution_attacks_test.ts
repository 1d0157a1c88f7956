/** Files of a ceremony that an attacker changed, with their hash chain recomputed. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { closeWithBeacon, contributeToCeremony } from "../../../src/ops/ceremony/ceremony.ts";
import { type Evidence } from "../../../src/ops/ceremony/verify_ceremony.ts";
import { keyFileName } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { pointToHex } from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import { G1_BYTES } from "../../../src/ops/ceremony/arithmetic/points.ts";
import { memorySource } from "../../../src/ops/ceremony/section_file.ts";
import {
  type Announcement,
  type BeaconEntry,
  type Contribution,
  keyEntries,
} from "../../../src/ops/ceremony/transcript/transcript.ts";
import { serializeZkey } from "../../../src/ops/ceremony/zkey.ts";
import { tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import {
  beacon,
  BEACON_ROUND,
  CONTRIBUTORS,
  copyFolder,
  encodeOffSubgroupG1,
  folderTranscript,
  type MemoryFolder,
  multiplyG1,
  rewriteTranscript,
  swapPoints,
  tamperTranscript,
  utf8,
} from "../../support/ceremony/ceremony_fixture.ts";
import { openScene, type Scene } from "./contribution_scene.ts";

Deno.test("verification refuses altered contributions and keys", async (t) => {
  await using scene = await openScene();
  await refusesAttacks(t, scene);
  await t.step("contribute refuses a ceremony that does not verify", () => contributeRefuses(scene));
});

type Attack = [
  what: string,
  attack: () => MemoryFolder | Promise<MemoryFolder>,
  refusal: RegExp,
  evidence?: Partial<Evidence>,
];

async function refusesAttacks(t: Deno.TestContext, scene: Scene): Promise<void> {
  const attacks = [
    ...transcriptAttacks(scene),
    ...historyAttacks(scene),
    ...keyAttacks(scene),
    ...fileAttacks(scene),
  ];
  for (const [what, attack, refusal, evidence] of attacks) {
    await t.step(`refused: ${what}`, async () => {
      const checks = await scene.verify(await attack(), evidence ?? {});
      const faults = checks.filter(({ verdict }) => verdict === "failed").map(({ detail }) => detail);
      assert.match(faults.join("\n"), refusal);
    });
  }
}

/** Transcripts whose entries are false, with their hashes recomputed where that is possible. */
function transcriptAttacks({ honest, withEntry }: Scene): Attack[] {
  return [
    [
      "a delta that is on the curve and not in the subgroup",
      () => withEntry((keys) => keys.delta.g1 = pointToHex(encodeOffSubgroupG1())),
      /deposit: contribution 2 contains a point outside G[12]/,
    ],
    [
      "an answer that is not on the curve",
      () =>
        withEntry((keys) =>
          keys.proof.answer = keys.proof.answer.replace(/.$/, (digit) => digit === "1" ? "2" : "1")
        ),
      /contribution 2 contains a point outside G[12]/,
    ],
    [
      "a delta of zero",
      () => withEntry((keys) => keys.delta.g1 = "0".repeat(192)),
      /contribution 2 contains a point outside G[12]/,
    ],
    [
      "a delta that the contributor chose instead of multiplying the one before",
      () => withEntry((keys) => keys.delta.g1 = pointToHex(multiplyG1(1234n))),
      /changes delta by a factor other than its secret/,
    ],
    [
      "a delta in G2 of another secret",
      () =>
        withEntry((keys) => keys.delta.g2 = keyEntries(folderTranscript(honest))[0].keys.deposit.delta.g2),
      /another delta in G2 than in G1/,
    ],
    [
      "a proof that was taken from the other circuit",
      () => withEntry((keys) => keys.proof = keyEntries(folderTranscript(honest))[1].keys.withdraw.proof),
      /does not answer the challenge of the preceding contributions/,
    ],
    [
      "a contribution played again",
      () =>
        rewriteTranscript(
          copyFolder(honest),
          ({ entries }) => entries.splice(3, 0, structuredClone(entries[2])),
        ),
      /contribution 3 repeats the contribution hash of contribution 2/,
    ],
    [
      "a contribution left out",
      () => rewriteTranscript(copyFolder(honest), ({ entries }) => void entries.splice(2, 1)),
      /beacon 2 does not answer the challenge of the preceding contributions/,
    ],
    [
      "a chain of hashes that is broken",
      () => tamperTranscript(honest, ({ entries }) => entries[2].previous = "00".repeat(32)),
      /contribution 2 does not follow the preceding entry/,
    ],
    [
      "a name that was changed",
      () => tamperTranscript(honest, ({ entries }) => (entries[1] as Contribution).name = "Mallory"),
      /contribution 1 does not match its hash/,
    ],
    [
      "a contribution hash that snarkjs would not compute",
      () => withEntry((keys) => keys.contributionHash = "00".repeat(64)),
      /does not match its contribution hash/,
    ],
  ];
}

/** Histories and beacons that differ from the announced or the earlier ones. */
function historyAttacks({ arithmetic, honest, atRound }: Scene): Attack[] {
  return [
    [
      "an earlier contribution replaced by a later contributor, consistently",
      async () => {
        const folder = copyFolder(atRound[0]);
        const by = { folder, arithmetic, entropy: utf8("e") };
        for (const name of CONTRIBUTORS) {
          await contributeToCeremony({ ...by, name });
        }
        await closeWithBeacon({ ...by, ...beacon });
        return folder;
      },
      /has another contribution 1 than the earlier one/,
      { earlierTranscript: folderTranscript(atRound[2]) },
    ],
    [
      "a beacon with another value than the hashed one",
      () =>
        rewriteTranscript(
          copyFolder(honest),
          ({ entries }) => (entries[3] as BeaconEntry).value = "11".repeat(32),
        ),
      /beacon 3 does not follow from its value/,
    ],
    [
      "a beacon that is hashed less often than announced",
      () =>
        rewriteTranscript(
          copyFolder(honest),
          ({ entries }) => (entries[0] as Announcement).exponent = 11,
        ),
      /beacon 3 does not follow from its value/,
    ],
  ];
}

/** Keys of the last round with a changed member. */
function keyAttacks({ withKey, at }: Scene): Attack[] {
  return [
    [
      "L with two points exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, L: swapPoints(key.sections.L) } })),
      /section L that is not the initial one over delta/,
    ],
    [
      "H with two points exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, H: swapPoints(key.sections.H) } })),
      /section H that is not the initial one over delta/,
    ],
    [
      "L with a point outside the subgroup",
      () =>
        withKey((key) => ({
          ...key,
          sections: {
            ...key.sections,
            L: concatBytes(encodeOffSubgroupG1(), key.sections.L.subarray(G1_BYTES)),
          },
        })),
      /section L contains a point outside G[12]: number 0/,
    ],
    [
      "A with a point exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, A: swapPoints(key.sections.A) } })),
      /another section A than the initial one/,
    ],
    [
      "another gamma",
      () => withKey((key) => ({ ...key, gamma2: key.delta2 })),
      /another gamma2 than the initial one/,
    ],
    [
      "a key whose own delta is another one",
      () => withKey((key) => ({ ...key, delta1: at(key.contributions, 0).delta })),
      /another delta than its contributions give/,
    ],
    [
      "a key without the contributions that the transcript lists",
      () => withKey((key) => ({ ...key, contributions: key.contributions.slice(0, 2) })),
      /other contributions than the transcript/,
    ],
  ];
}

/** Files that are cut, missing, or of another ceremony. */
function fileAttacks({ honest, ptau, r1cs, origin }: Scene): Attack[] {
  return [
    [
      "a file that is cut short",
      () => {
        const folder = copyFolder(honest);
        folder.files.set(
          keyFileName("deposit", BEACON_ROUND),
          folder.files.get(keyFileName("deposit", BEACON_ROUND))!.slice(0, -100),
        );
        return folder;
      },
      /deposit.3.zkey does not have the hash/,
    ],
    [
      "a file that is missing",
      () => {
        const folder = copyFolder(honest);
        folder.files.delete(keyFileName("withdraw", 0));
        return folder;
      },
      /lacks withdraw.0.zkey/,
    ],
    [
      "other powers of tau than it began with",
      () => honest,
      /are another file than the ceremony began with/,
      { inputs: { ...origin, powers: memorySource(ptau.with(-1, ptau.at(-1)! ^ 1)) } },
    ],
    [
      "powers of tau with a byte more than it began with",
      () => honest,
      /has bytes after its last section/,
      { inputs: { ...origin, powers: memorySource(Uint8Array.from([...ptau, 0])) } },
    ],
    [
      "another circuit than it began with",
      () => honest,
      /is another one than the ceremony began with/,
      { inputs: { ...origin, r1cs: { ...r1cs, deposit: tinyR1cs("deposit", 2) } } },
    ],
  ];
}

async function contributeRefuses({ keyOf, atRound, arithmetic }: Scene): Promise<void> {
  const key = await keyOf(atRound[2], "deposit", 2);
  const folder = copyFolder(atRound[2]);
  const file = serializeZkey({ ...key, sections: { ...key.sections, H: swapPoints(key.sections.H) } });
  folder.files.set(keyFileName("deposit", 2), file);
  rewriteTranscript(
    folder,
    (transcript) => keyEntries(transcript)[1].keys.deposit.zkey = bytesToHex(sha256(file)),
  );
  const by = { folder, arithmetic, name: "Dave", entropy: utf8("e") };
  await assert.rejects(contributeToCeremony(by), /section H that is not the initial one over delta/);
}
