/** Keys, circuits and powers of tau that a ceremony refuses before the first contribution. */
import { concatBytes } from "@noble/hashes/utils.js";
import assert from "node:assert/strict";
import { contribute } from "../../../src/ops/ceremony/contribution.ts";
import { makeInitialKey } from "../../../src/ops/ceremony/initial_key.ts";
import { G1_BYTES } from "../../../src/ops/ceremony/arithmetic/points.ts";
import { checkPowersOfTau, openPowersOfTau } from "../../../src/ops/ceremony/powers_of_tau.ts";
import { equalBytes, memorySource } from "../../../src/ops/ceremony/section_file.ts";
import { parseZkey, serializeZkey } from "../../../src/ops/ceremony/zkey.ts";
import { memoryBytes, tinyPowers } from "../../support/ceremony/tiny_ceremony.ts";
import {
  encodeOffSubgroupG1,
  findSection,
  matchesCeremonyProblem,
  multiplyG1,
  openTinyCeremony,
} from "../../support/ceremony/ceremony_fixture.ts";

/** Opens tiny powers of tau and circuits, with snarkjs. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const tiny = stack.use(await openTinyCeremony());
  const { snarkjs, arithmetic, ptau, r1cs } = tiny;
  const open = stack.move();
  return { r1cs, ptau, arithmetic, snarkjs, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("files that a ceremony refuses", async (t) => {
  await using scene = await openScene();
  await refusesBrokenFiles(t, scene);
  await refusesAlteredPowers(t, scene);
  await refusesForeignPowers(t, scene);
});

async function refusesBrokenFiles(t: Deno.TestContext, { r1cs, ptau, arithmetic }: Scene): Promise<void> {
  await t.step("a contribution changes delta, and a short seed is refused", async () => {
    const key = await makeInitialKey(r1cs.deposit, await openPowersOfTau(memorySource(ptau)), arithmetic);
    const after = await contribute(key, new Uint8Array(32).fill(5), { name: "n" }, arithmetic);
    assert.ok(!equalBytes(after.delta1, key.delta1));
    await assert.rejects(
      contribute(key, new Uint8Array(31), { name: "n" }, arithmetic),
      /seed is malformed/,
    );
  });

  await t.step(
    "truncated files, files with trailing bytes, and files of another kind are refused",
    async () => {
      const file = serializeZkey(
        await makeInitialKey(r1cs.deposit, await openPowersOfTau(memorySource(ptau)), arithmetic),
      );
      for (const length of [0, 3, 11, 12, 30, 200, file.length - 1]) {
        await assert.rejects(
          parseZkey(file.slice(0, length), "key"),
          matchesCeremonyProblem(/is truncated|is not a zkey/),
        );
      }
      await assert.rejects(
        parseZkey(concatBytes(file, new Uint8Array(1)), "key"),
        matchesCeremonyProblem(/bytes after its last/),
      );
      await assert.rejects(parseZkey(ptau, "key"), matchesCeremonyProblem(/is not a zkey file/));
      await assert.rejects(openPowersOfTau(memorySource(file)), matchesCeremonyProblem(/is not a ptau file/));
      await assert.rejects(
        openPowersOfTau(memorySource(ptau.slice(0, -1))),
        matchesCeremonyProblem(/truncated/),
      );
      await assert.rejects(
        makeInitialKey(r1cs.deposit.slice(0, -1), await openPowersOfTau(memorySource(ptau)), arithmetic),
        matchesCeremonyProblem(/is cut short/),
      );
    },
  );
}

async function refusesAlteredPowers(t: Deno.TestContext, { ptau, arithmetic }: Scene): Promise<void> {
  const powersAttacks: [what: string, at: number, bytes: (old: Uint8Array) => Uint8Array, RegExp][] = [
    [
      "a power of tau that is another multiple",
      5 * G1_BYTES,
      () => multiplyG1(99n),
      /not powers of one tau in section 2/,
    ],
    [
      "a power of tau outside the subgroup",
      5 * G1_BYTES,
      () => encodeOffSubgroupG1(),
      /outside G1: number 5/,
    ],
    [
      "a power of tau off the curve",
      5 * G1_BYTES,
      (old) => old.with(3, old[3] ^ 1),
      /outside G1: number 5/,
    ],
    [
      "powers that do not begin with the generator",
      0,
      () => multiplyG1(2n),
      /do not begin with the generators/,
    ],
  ];
  for (const [what, at, bytes, refusal] of powersAttacks) {
    await t.step(`powers of tau, refused: ${what}`, async () => {
      const first = findSection(ptau, 2) + at;
      const bad = ptau.slice();
      bad.set(bytes(ptau.slice(first, first + G1_BYTES)), first);
      await assert.rejects(
        checkPowersOfTau(await openPowersOfTau(memorySource(bad)), arithmetic),
        matchesCeremonyProblem(refusal),
      );
    });
  }
}

async function refusesForeignPowers(
  t: Deno.TestContext,
  { ptau, arithmetic, snarkjs, r1cs }: Scene,
): Promise<void> {
  await t.step("powers of tau, refused: another list, beta, or Lagrange polynomial", async () => {
    for (
      const [section, at, size, refusal] of [
        [3, 192 * 3, 192, /not powers of one tau in section 3/],
        [4, 96 * 7, 96, /not powers of one tau in section 4/],
        [5, 96 * 7, 96, /not powers of one tau in section 5/],
        [6, 0, 192, /another beta in G2/],
        [12, 96 * 20, 96, /section 12 does not contain the Lagrange/],
        [13, 192 * 9, 192, /section 13 does not contain the Lagrange/],
        [14, 96 * 9, 96, /section 14 does not contain the Lagrange/],
        [15, 96 * 9, 96, /section 15 does not contain the Lagrange/],
      ] as const
    ) {
      const bad = ptau.slice();
      const from = size === 96 ? findSection(ptau, 2) + 96 * 3 : findSection(ptau, 3) + 192 * 2;
      bad.set(ptau.slice(from, from + size), findSection(ptau, section) + at);
      await assert.rejects(
        checkPowersOfTau(await openPowersOfTau(memorySource(bad)), arithmetic),
        matchesCeremonyProblem(refusal),
      );
    }
  });
  await t.step("powers of tau, refused: of BN254, of tau 1, too few", async () => {
    const bn254 = await tinyPowers(snarkjs, { curve: "bn128", power: 2, prepared: false });
    await assert.rejects(
      openPowersOfTau(memorySource(bn254)),
      matchesCeremonyProblem(/are not of BLS12-381/),
    );
    const fresh = { type: "mem" as const };
    const curve = await snarkjs.curves.getCurveFromName("bls12381");
    await snarkjs.powersOfTau.newAccumulator(curve, 2, fresh);
    const ones = await openPowersOfTau(memorySource(memoryBytes(fresh)));
    await assert.rejects(checkPowersOfTau(ones, arithmetic), matchesCeremonyProblem(/tau is 1/));
    const few = await openPowersOfTau(memorySource(await tinyPowers(snarkjs, { power: 3 })));
    await checkPowersOfTau(few, arithmetic);
    await assert.rejects(
      makeInitialKey(r1cs.withdraw, few, arithmetic),
      matchesCeremonyProblem(/are too few/),
    );
  });
}
