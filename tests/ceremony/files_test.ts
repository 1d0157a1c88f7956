/** What is refused of a ceremony's files before anybody contributes: keys, circuits, powers of tau. */
import assert from "node:assert/strict";
import { contribute } from "../../src/ops/ceremony/contribution.ts";
import { initialKey } from "../../src/ops/ceremony/initial.ts";
import { checkPowers, G1_BYTES, openPowers } from "../../src/ops/ceremony/powers.ts";
import { inMemory, joined, sameBytes } from "../../src/ops/ceremony/sections.ts";
import { parseZkey, writeZkey } from "../../src/ops/ceremony/zkey.ts";
import { bytesOf, tinyPowers } from "../support/tiny_ceremony.ts";
import { multiple, openTiny, refusedWith, sectionStart, strayG1 } from "../support/held_ceremony.ts";

Deno.test("files that a ceremony refuses", async (t) => {
  await using tiny = await openTiny();
  const { snarkjs, arithmetic, ptau, r1cs } = tiny;

  await t.step("a contribution with a secret of nothing does not exist", async () => {
    const key = await initialKey(r1cs.deposit, await openPowers(inMemory(ptau)), arithmetic);
    const after = await contribute(key, new Uint8Array(32).fill(5), { name: "n" }, arithmetic);
    assert.ok(!sameBytes(after.delta1, key.delta1));
    await assert.rejects(
      contribute(key, new Uint8Array(31), { name: "n" }, arithmetic),
      /seed is malformed/,
    );
  });

  await t.step("files that are cut, doubled or of another kind", async () => {
    const file = writeZkey(await initialKey(r1cs.deposit, await openPowers(inMemory(ptau)), arithmetic));
    for (const length of [0, 3, 11, 12, 30, 200, file.length - 1]) {
      await assert.rejects(
        parseZkey(file.slice(0, length), "key"),
        refusedWith(/is cut short|is not a zkey/),
      );
    }
    await assert.rejects(
      parseZkey(joined(file, new Uint8Array(1)), "key"),
      refusedWith(/bytes after its last/),
    );
    await assert.rejects(parseZkey(ptau, "key"), refusedWith(/is not a zkey file/));
    await assert.rejects(openPowers(inMemory(file)), refusedWith(/is not a ptau file/));
    await assert.rejects(openPowers(inMemory(ptau.slice(0, -1))), refusedWith(/cut short/));
    await assert.rejects(
      initialKey(r1cs.deposit.slice(0, -1), await openPowers(inMemory(ptau)), arithmetic),
      refusedWith(/is cut short/),
    );
  });

  const powersAttacks: [what: string, at: number, bytes: (old: Uint8Array) => Uint8Array, RegExp][] = [
    [
      "a power of tau that is another multiple",
      5 * G1_BYTES,
      () => multiple(99n),
      /no powers of one tau: section 2/,
    ],
    ["a power of tau outside the subgroup", 5 * G1_BYTES, () => strayG1(), /none of the group: number 5/],
    [
      "a power of tau off the curve",
      5 * G1_BYTES,
      (old) => old.with(3, old[3] ^ 1),
      /none of the group: number 5/,
    ],
    [
      "powers that do not begin with the generator",
      0,
      () => multiple(2n),
      /do not begin with the generators/,
    ],
  ];
  for (const [what, at, bytes, refusal] of powersAttacks) {
    await t.step(`powers of tau, refused: ${what}`, async () => {
      const first = sectionStart(ptau, 2) + at;
      const bad = ptau.slice();
      bad.set(bytes(ptau.slice(first, first + G1_BYTES)), first);
      await assert.rejects(checkPowers(await openPowers(inMemory(bad)), arithmetic), refusedWith(refusal));
    });
  }
  await t.step("powers of tau, refused: another list, beta, or Lagrange polynomial", async () => {
    for (
      const [section, at, size, refusal] of [
        [3, 192 * 3, 192, /no powers of one tau: section 3/],
        [4, 96 * 7, 96, /no powers of one tau: section 4/],
        [5, 96 * 7, 96, /no powers of one tau: section 5/],
        [6, 0, 192, /another beta in G2/],
        [12, 96 * 20, 96, /section 12 does not hold the Lagrange/],
        [13, 192 * 9, 192, /section 13 does not hold the Lagrange/],
        [14, 96 * 9, 96, /section 14 does not hold the Lagrange/],
        [15, 96 * 9, 96, /section 15 does not hold the Lagrange/],
      ] as const
    ) {
      const bad = ptau.slice();
      const from = size === 96 ? sectionStart(ptau, 2) + 96 * 3 : sectionStart(ptau, 3) + 192 * 2;
      bad.set(ptau.slice(from, from + size), sectionStart(ptau, section) + at);
      await assert.rejects(checkPowers(await openPowers(inMemory(bad)), arithmetic), refusedWith(refusal));
    }
  });
  await t.step("powers of tau, refused: of BN254, of tau 1, too few", async () => {
    const bn254 = await tinyPowers(snarkjs, { curve: "bn128", power: 2, prepared: false });
    await assert.rejects(openPowers(inMemory(bn254)), refusedWith(/are not of BLS12-381/));
    const fresh = { type: "mem" as const };
    const curve = await snarkjs.curves.getCurveFromName("bls12381");
    await snarkjs.powersOfTau.newAccumulator(curve, 2, fresh);
    const ones = await openPowers(inMemory(bytesOf(fresh)));
    await assert.rejects(checkPowers(ones, arithmetic), refusedWith(/tau is 1/));
    const few = await openPowers(inMemory(await tinyPowers(snarkjs, { power: 3 })));
    await checkPowers(few, arithmetic);
    await assert.rejects(initialKey(r1cs.withdraw, few, arithmetic), refusedWith(/are too few/));
  });
});
