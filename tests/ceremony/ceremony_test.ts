/**
 * The ceremony on two tiny circuits, with snarkjs as the independent verifier; and what an attacker would try. A
 * real circuit takes the same way in real_circuit_test.ts.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { Problem } from "../../src/core/errors.ts";
import { type CircuitName, circuits } from "../../src/core/groth16.ts";
import { openArithmetic } from "../../src/ops/ceremony/arithmetic.ts";
import {
  beginCeremony,
  closeWithBeacon,
  contributeTo,
  type Evidence,
  verifyCeremony,
} from "../../src/ops/ceremony/ceremony.ts";
import { checkHistory, contribute, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { keyFile, TRANSCRIPT } from "../../src/ops/ceremony/folder.ts";
import { initialKey } from "../../src/ops/ceremony/initial.ts";
import { checkInitialKey } from "../../src/ops/ceremony/key_checks.ts";
import { verificationKey } from "../../src/ops/ceremony/keys.ts";
import { pointBytes, pointText } from "../../src/ops/ceremony/point_text.ts";
import { checkPowers, G1_BYTES, G2_BYTES, openPowers } from "../../src/ops/ceremony/powers.ts";
import { inMemory, joined, sameBytes } from "../../src/ops/ceremony/sections.ts";
import { parseTranscript, type Transcript, transcriptBytes } from "../../src/ops/ceremony/transcript.ts";
import { parseZkey, writeZkey, type Zkey } from "../../src/ops/ceremony/zkey.ts";
import { closeSnarkjs, openSnarkjs } from "../../tools/snarkjs.ts";
import {
  bytesOf,
  memoryFolder,
  tinyCircuits,
  tinyPowers,
  tinyR1cs,
  tinyWitness,
} from "../support/tiny_ceremony.ts";

type MemoryFolder = ReturnType<typeof memoryFolder>;

const text = (value: string) => new TextEncoder().encode(value);
const people = ["Alice", "Bob (Zürich)"];
/** The beacon's. */
const LAST = people.length + 1;
const beacon = { value: new Uint8Array(32).fill(7), exponent: 10 };
const mem = (data: Uint8Array) => ({ type: "mem" as const, data: data.slice() });

Deno.test("a ceremony of two people and a beacon", async (t) => {
  const snarkjs = await openSnarkjs();
  const arithmetic = openArithmetic(2);
  try {
    const ptau = await tinyPowers(snarkjs);
    const r1cs = tinyCircuits();
    const origin = { powers: inMemory(ptau), r1cs };
    const honest = memoryFolder();
    const step = { folder: honest, arithmetic };
    await beginCeremony({ ...step, ...origin });
    const atRound: MemoryFolder[] = [copy(honest)];
    for (const name of people) {
      await contributeTo({ ...step, name, entropy: text(`what ${name} typed`) });
      atRound.push(copy(honest));
    }
    await closeWithBeacon({ ...step, name: "the beacon", beacon });
    const verify = (folder: MemoryFolder, evidence: Evidence = { origin }) =>
      verifyCeremony({ folder, arithmetic, ...evidence });
    const keyOf = async (folder: MemoryFolder, circuit: CircuitName, round: number) =>
      await parseZkey(folder.files.get(keyFile(circuit, round))!, circuit);

    await t.step("the initial keys are those of snarkjs, byte for byte", async () => {
      for (const circuit of circuits) {
        const made = { type: "mem" as const };
        await snarkjs.zKey.newZKey(mem(r1cs[circuit]), mem(ptau), made);
        const [ours, theirs] = [await keyOf(honest, circuit, 0), await parseZkey(bytesOf(made), "snarkjs'")];
        assert.deepEqual(ours, theirs);
      }
    });

    await t.step(
      "every check holds, and snarkjs verifies both keys from constraints and powers",
      async () => {
        const checks = await verify(honest);
        assert.deepEqual(checks.filter(({ verdict }) => verdict !== "ok"), []);
        for (const circuit of circuits) {
          const key = honest.files.get(keyFile(circuit, LAST))!;
          assert.equal(await snarkjs.zKey.verifyFromR1cs(mem(r1cs[circuit]), mem(ptau), mem(key)), true);
        }
      },
    );

    await t.step("snarkjs proves with the last key, and its exported verification key is ours", async () => {
      for (const circuit of circuits) {
        const file = honest.files.get(keyFile(circuit, LAST))!;
        const vkey = verificationKey(await parseZkey(file, circuit));
        const { vk_alphabeta_12: _, ...theirs } = await snarkjs.zKey.exportVerificationKey(mem(file));
        assert.deepEqual({ ...vkey }, theirs);
        const { wtns, signals } = tinyWitness(circuit);
        const { proof, publicSignals } = await snarkjs.groth16.prove(mem(file), mem(wtns));
        assert.deepEqual(publicSignals, signals.map(String));
        assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);
        const wrong = publicSignals.with(0, "1");
        assert.equal(await snarkjs.groth16.verify(vkey, wrong, proof), false);
      }
    });

    await t.step("snarkjs contributes after us, and we verify what it made", async () => {
      const initial = await keyOf(honest, "deposit", 0);
      const made = { type: "mem" as const };
      await snarkjs.zKey.contribute(
        mem(atRound[1].files.get(keyFile("deposit", 1))!),
        made,
        "by snarkjs",
        "x",
      );
      const key = await parseZkey(bytesOf(made), "snarkjs'");
      await checkHistory(key, arithmetic);
      assert.deepEqual(key.contributions.map(({ name }) => name), ["Alice", "by snarkjs"]);
      assert.ok(sameBytes(key.circuitHash, initial.circuitHash));
    });

    await t.step("whoever kept a transcript sees that theirs is still in it", async () => {
      const earlier = transcriptOf(atRound[2]);
      const [, check] = await verify(honest, { earlier });
      assert.deepEqual([check.name, check.verdict], ["earlier transcript", "ok"]);
    });

    const alterations: [string, (kept: Transcript) => void][] = [
      ["another name", ({ contributions }) => contributions[1].name = "Mallory"],
      [
        "another contribution hash",
        ({ contributions }) => contributions[1].keys.deposit.contributionHash = "00".repeat(64),
      ],
      [
        "another delta",
        ({ contributions: [first, second] }) => second.keys.withdraw.delta = first.keys.withdraw.delta,
      ],
      ["another key", ({ contributions }) => contributions[1].keys.withdraw.zkey = "00".repeat(32)],
      ["another one before it", ({ contributions }) => contributions[1].previous = "00".repeat(32)],
      [
        "a beacon in it",
        ({ contributions }) => contributions[1].beacon = { value: "11".repeat(8), exponent: 10 },
      ],
    ];
    for (const [what, alter] of alterations) {
      await t.step(
        `a kept transcript with ${what} under the same hash is no witness of anything`,
        async () => {
          const earlier = structuredClone(transcriptOf(atRound[2]));
          alter(earlier);
          const [, check] = await verify(honest, { earlier });
          assert.equal(check.verdict, "failed", check.detail);
          assert.match(check.detail, /kept transcript.* contribution 2/);
        },
      );
    }

    await t.step("one that is longer than what is there is not in it", async () => {
      const [, check] = await verify(atRound[1], { earlier: transcriptOf(atRound[2]) });
      assert.equal(check.verdict, "failed");
      assert.match(check.detail, /another contribution 2 than the earlier one/);
    });

    await t.step(
      "a closed ceremony takes no contribution, an empty one no beacon, a begun one no beginning",
      async () => {
        const late = { folder: copy(honest), arithmetic, name: "Dave", entropy: text("too late") };
        await assert.rejects(contributeTo(late), /is closed/);
        const empty = { folder: copy(atRound[0]), arithmetic, name: "beacon", beacon };
        await assert.rejects(closeWithBeacon(empty), /has no contribution/);
        await assert.rejects(beginCeremony({ folder: copy(atRound[1]), arithmetic, ...origin }), /has begun/);
        const [verdict] = (await verify(atRound[0])).filter(({ name }) => name === "deposit: delta");
        assert.match(verdict.detail, /same delta as gamma/);
      },
    );

    await t.step("nothing of the entropy is written, and equal entropy gives other secrets", () => {
      for (const [name, content] of honest.files) {
        assert.ok(!new TextDecoder("latin1").decode(content).includes("what Alice typed"), name);
      }
      const [one, two] = [contributionSeeds(circuits, text("x")), contributionSeeds(circuits, text("x"))];
      assert.equal(new Set([...Object.values(one), ...Object.values(two)].map(bytesToHex)).size, 4);
    });

    await t.step("a run that is cut off before the transcript leaves a ceremony that goes on", async () => {
      const cut = copy(atRound[1]);
      const failing = {
        ...cut,
        write: (name: string, content: Uint8Array) =>
          name === TRANSCRIPT ? Promise.reject(new Error("power cut")) : cut.write(name, content),
      };
      const by = { arithmetic, name: "Bob", entropy: text("e") };
      await assert.rejects(contributeTo({ ...by, folder: failing }), /power cut/);
      assert.deepEqual((await verify(cut)).filter(({ verdict }) => verdict === "failed"), []);
      assert.equal((await contributeTo({ ...by, folder: cut })).contributions.length, 2);
      assert.deepEqual((await verify(cut)).filter(({ verdict }) => verdict === "failed"), []);
    });

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
        () =>
          withEntry((keys) => keys.delta.g2 = transcriptOf(honest).contributions[0].keys.deposit.delta.g2),
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

    await t.step("a contribution with a secret of nothing does not exist", async () => {
      const key = await keyOf(honest, "deposit", 0);
      const after = await contribute(key, new Uint8Array(32).fill(5), { name: "n" }, arithmetic);
      assert.ok(!sameBytes(after.delta1, key.delta1));
      await assert.rejects(
        contribute(key, new Uint8Array(31), { name: "n" }, arithmetic),
        /seed is malformed/,
      );
    });

    await t.step("files that are cut, doubled or of another kind", async () => {
      const file = honest.files.get(keyFile("deposit", LAST))!;
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
  } finally {
    arithmetic.close();
    await closeSnarkjs();
    await (globalThis as { curve_bn128?: { terminate(): Promise<void> } | null }).curve_bn128?.terminate();
  }
});

function copy(folder: MemoryFolder): MemoryFolder {
  const other = memoryFolder();
  for (const [name, content] of folder.files) other.files.set(name, content.slice());
  return other;
}

function transcriptOf(folder: MemoryFolder): Transcript {
  return parseTranscript(folder.files.get(TRANSCRIPT)!);
}

/** Changes the transcript and nothing else. */
function tampered(folder: MemoryFolder, change: (transcript: Transcript) => void): MemoryFolder {
  const [other, transcript] = [copy(folder), transcriptOf(folder)];
  change(transcript);
  other.files.set(TRANSCRIPT, new Uint8Array(transcriptBytes(transcript)));
  return other;
}

/** Changes the transcript as an attacker would, who makes the chain of hashes fit again. */
function rewritten(folder: MemoryFolder, change: (transcript: Transcript) => void): MemoryFolder {
  const transcript = transcriptOf(folder);
  change(transcript);
  const { contributions, ...head } = transcript;
  let previous = hashOf(head);
  for (const entry of contributions) {
    const { hash: _, ...unhashed } = Object.assign(entry, { previous });
    previous = entry.hash = hashOf(unhashed);
  }
  folder.files.set(TRANSCRIPT, new Uint8Array(transcriptBytes(transcript)));
  return folder;
}

/** As docs/ceremony.md says: SHA-256 of the JSON without spaces, members in the order of their names. */
function hashOf(value: unknown): string {
  const sorted = JSON.stringify(
    value,
    (_, member) =>
      member !== null && typeof member === "object" && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([x], [y]) => x < y ? -1 : 1))
        : member,
  );
  return bytesToHex(sha256(text(sorted)));
}

/** A multiple of G1's generator, as files hold it. */
function multiple(scalar: bigint): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar).toAffine();
  return pointBytes([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
}

/** A point on G1's curve that is not of order r: the cofactor is not cleared. */
function strayG1(): Uint8Array {
  const { Fp } = bls12_381.fields;
  for (let x = 1n;; x++) {
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), 4n);
    try {
      const y = Fp.sqrt(square);
      const point = bls12_381.G1.Point.fromAffine({ x, y });
      if (!point.isTorsionFree()) {
        return pointBytes([x, y].map((c) => c.toString(16).padStart(96, "0")).join(""));
      }
    } catch {
      // no square: the next x
    }
  }
}

function sectionStart(file: Uint8Array, wanted: number): number {
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 12;;) {
    const [id, length] = [view.getUint32(at, true), Number(view.getBigUint64(at + 4, true))];
    if (id === wanted) return at + 12;
    at += 12 + length;
  }
}

function refusedWith(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem && error.code === "invalid_ceremony", String(error));
    assert.match(error.message, message);
    return true;
  };
}
