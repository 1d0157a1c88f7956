/** What an attacker would try with the files of a ceremony, the chain of hashes made to fit again. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { closeWithBeacon, contributeTo, type Evidence } from "../../src/ops/ceremony/ceremony.ts";
import { keyFile } from "../../src/ops/ceremony/folder.ts";
import { initialKey } from "../../src/ops/ceremony/initial.ts";
import { checkInitialKey } from "../../src/ops/ceremony/key_checks.ts";
import { pointText } from "../../src/ops/ceremony/point_text.ts";
import { G1_BYTES, G2_BYTES, openPowers } from "../../src/ops/ceremony/powers.ts";
import { inMemory, joined, sameBytes } from "../../src/ops/ceremony/sections.ts";
import { type Transcript } from "../../src/ops/ceremony/transcript.ts";
import { writeZkey, type Zkey } from "../../src/ops/ceremony/zkey.ts";
import { tinyR1cs } from "../support/tiny_ceremony.ts";
import {
  beacon,
  copy,
  holdCeremony,
  LAST,
  type MemoryFolder,
  multiple,
  openTiny,
  people,
  rewritten,
  strayG1,
  tampered,
  text,
  transcriptOf,
} from "../support/held_ceremony.ts";

Deno.test("what a ceremony refuses", async (t) => {
  await using tiny = await openTiny();
  const { arithmetic, ptau, r1cs, origin } = tiny;
  const { honest, atRound, verify, keyOf } = await holdCeremony(tiny);

  /** Changes the deposit key of the last round, and the transcript with it so that the files' hashes fit. */
  const withKey = async (change: (key: Zkey) => Zkey | Promise<Zkey>): Promise<MemoryFolder> => {
    const folder = copy(honest);
    const file = writeZkey(await change(await keyOf(folder, "deposit", LAST)));
    folder.files.set(keyFile("deposit", LAST), file);
    return rewritten(folder, (transcript) => {
      transcript.contributions[LAST - 1].keys.deposit.zkey = bytesToHex(sha256(file));
    });
  };
  /** Changes what the transcript says of the second contribution to the deposit key. */
  const withEntry = (change: (keys: Transcript["contributions"][0]["keys"]["deposit"]) => void) =>
    rewritten(copy(honest), ({ contributions }) => change(contributions[1].keys.deposit));
  /** The first point in the place of the first other one, and the reverse. */
  const swapped = (points: Uint8Array, size = G1_BYTES) => {
    const other = Array.from(
      { length: points.length / size },
      (_, i) => points.slice(i * size, (i + 1) * size),
    );
    const i = other.findIndex((point) => !sameBytes(point, other[0]));
    return joined(...other.with(0, other[i]).with(i, other[0]));
  };
  const at = (list: readonly Zkey["contributions"][0][], i: number) => list[i];

  const attacks: [
    what: string,
    attack: () => MemoryFolder | Promise<MemoryFolder>,
    refusal: RegExp,
    evidence?: Evidence,
  ][] = [
    [
      "a delta that is on the curve and not in the subgroup",
      () => withEntry((keys) => keys.delta.g1 = pointText(strayG1())),
      /deposit: contribution 2 holds a point that is none of the group/,
    ],
    [
      "an answer that is not on the curve",
      () =>
        withEntry((keys) =>
          keys.proof.answer = keys.proof.answer.replace(/.$/, (digit) => digit === "1" ? "2" : "1")
        ),
      /contribution 2 holds a point that is none of the group/,
    ],
    [
      "a delta of zero",
      () => withEntry((keys) => keys.delta.g1 = "0".repeat(192)),
      /contribution 2 holds a point that is none of the group/,
    ],
    [
      "a delta that its maker chose instead of multiplying the one before",
      () => withEntry((keys) => keys.delta.g1 = pointText(multiple(1234n))),
      /changes delta by something else than its secret/,
    ],
    [
      "a delta in G2 of another secret",
      () => withEntry((keys) => keys.delta.g2 = transcriptOf(honest).contributions[0].keys.deposit.delta.g2),
      /another delta in G2 than in G1/,
    ],
    [
      "a proof that was taken from the other circuit",
      () => withEntry((keys) => keys.proof = transcriptOf(honest).contributions[1].keys.withdraw.proof),
      /does not answer to what was before it/,
    ],
    [
      "a contribution played again",
      () =>
        rewritten(
          copy(honest),
          ({ contributions }) => contributions.splice(2, 0, structuredClone(contributions[1])),
        ),
      /contribution 3 does not answer to what was before it/,
    ],
    [
      "a contribution left out",
      () => rewritten(copy(honest), ({ contributions }) => void contributions.splice(1, 1)),
      /contribution 2 does not answer to what was before it/,
    ],
    [
      "a chain of hashes that is broken",
      () => tampered(honest, ({ contributions }) => contributions[1].previous = "00".repeat(32)),
      /contribution 2 does not follow what was before it/,
    ],
    [
      "a name that was changed",
      () => tampered(honest, ({ contributions }) => contributions[0].name = "Mallory"),
      /contribution 1 does not have the hash that it says/,
    ],
    [
      "a contribution hash that nobody would find at snarkjs",
      () => withEntry((keys) => keys.contributionHash = "00".repeat(64)),
      /does not have the contribution hash that it says/,
    ],
    [
      "an earlier contribution replaced by whoever came later, consistently",
      async () => {
        const folder = copy(atRound[0]);
        const by = { folder, arithmetic, entropy: text("e") };
        for (const name of people) {
          await contributeTo({ ...by, name });
        }
        await closeWithBeacon({ ...by, name: "the beacon", beacon });
        return folder;
      },
      /has another contribution 1 than the earlier one/,
      { earlier: transcriptOf(atRound[2]) },
    ],
    [
      "a beacon whose value is another than was hashed",
      () =>
        rewritten(
          copy(honest),
          ({ contributions }) => contributions[LAST - 1].beacon!.value = "11".repeat(32),
        ),
      /contribution 3 is not what its beacon gives/,
    ],
    [
      "a beacon that is hashed less often than it says",
      () => rewritten(copy(honest), ({ contributions }) => contributions[LAST - 1].beacon!.exponent = 11),
      /contribution 3 is not what its beacon gives/,
    ],
    [
      "L with two points exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, L: swapped(key.sections.L) } })),
      /section L that is not the initial one over delta/,
    ],
    [
      "H with two points exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, H: swapped(key.sections.H) } })),
      /section H that is not the initial one over delta/,
    ],
    [
      "L with a point outside the subgroup",
      () =>
        withKey((key) => ({
          ...key,
          sections: { ...key.sections, L: joined(strayG1(), key.sections.L.subarray(G1_BYTES)) },
        })),
      /section L holds a point that is none of the group: number 0/,
    ],
    [
      "A with a point exchanged",
      () => withKey((key) => ({ ...key, sections: { ...key.sections, A: swapped(key.sections.A) } })),
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
      "a key without the contributions that the transcript tells of",
      () => withKey((key) => ({ ...key, contributions: key.contributions.slice(0, 2) })),
      /other contributions than the transcript/,
    ],
    [
      "a file that is cut short",
      () => {
        const folder = copy(honest);
        folder.files.set(
          keyFile("deposit", LAST),
          folder.files.get(keyFile("deposit", LAST))!.slice(0, -100),
        );
        return folder;
      },
      /deposit.3.zkey does not have the hash/,
    ],
    [
      "a file that is missing",
      () => {
        const folder = copy(honest);
        folder.files.delete(keyFile("withdraw", 0));
        return folder;
      },
      /lacks withdraw.0.zkey/,
    ],
    [
      "other powers of tau than it began with",
      () => honest,
      /are another file than the ceremony began with/,
      { origin: { ...origin, powers: inMemory(ptau.with(-1, ptau.at(-1)! ^ 1)) } },
    ],
    [
      "powers of tau with a byte more than it began with",
      () => honest,
      /has bytes after its last section/,
      { origin: { ...origin, powers: inMemory(Uint8Array.from([...ptau, 0])) } },
    ],
    [
      "another circuit than it began with",
      () => honest,
      /is another one than the ceremony began with/,
      { origin: { ...origin, r1cs: { ...r1cs, deposit: tinyR1cs("deposit", 2) } } },
    ],
  ];
  for (const [what, attack, refusal, evidence] of attacks) {
    await t.step(`refused: ${what}`, async () => {
      const checks = await verify(await attack(), evidence ?? {});
      const faults = checks.filter(({ verdict }) => verdict === "failed").map(({ detail }) => detail);
      assert.match(faults.join("\n"), refusal);
    });
  }

  await t.step("nobody contributes to what does not verify", async () => {
    const key = await keyOf(atRound[2], "deposit", 2);
    const folder = copy(atRound[2]);
    const file = writeZkey({ ...key, sections: { ...key.sections, H: swapped(key.sections.H) } });
    folder.files.set(keyFile("deposit", 2), file);
    rewritten(folder, ({ contributions }) => contributions[1].keys.deposit.zkey = bytesToHex(sha256(file)));
    const by = { folder, arithmetic, name: "Dave", entropy: text("e") };
    await assert.rejects(contributeTo(by), /section H that is not the initial one over delta/);
  });

  await t.step(
    "an initial key that does not follow from circuit and powers is refused, section by section",
    async () => {
      const powers = await openPowers(inMemory(ptau));
      const key = await initialKey(r1cs.withdraw, powers, arithmetic);
      await checkInitialKey(key, r1cs.withdraw, powers, arithmetic);
      for (const section of ["IC", "A", "B1", "L", "H"] as const) {
        const sections = { ...key.sections, [section]: swapped(key.sections[section]) };
        await assert.rejects(
          checkInitialKey({ ...key, sections }, r1cs.withdraw, powers, arithmetic),
          new RegExp(`section ${section} that does not follow`),
        );
      }
      const B2 = swapped(key.sections.B2, G2_BYTES);
      const others: [Partial<Zkey>, RegExp][] = [
        [{ sections: { ...key.sections, B2 } }, /section B2 that does not follow/],
        [
          { sections: { ...key.sections, coefficients: key.sections.coefficients.slice(0, -44) } },
          /another circuit/,
        ],
        [{ alpha1: key.beta1 }, /another alpha, beta, gamma or delta/],
        [{ circuitHash: new Uint8Array(64) }, /another circuit hash/],
      ];
      for (const [change, refusal] of others) {
        await assert.rejects(
          checkInitialKey({ ...key, ...change }, r1cs.withdraw, powers, arithmetic),
          refusal,
        );
      }
      await assert.rejects(
        checkInitialKey(key, tinyR1cs("withdraw", 8), powers, arithmetic),
        /another circuit/,
      );
    },
  );
});
