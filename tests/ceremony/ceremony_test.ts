/** The ceremony on two tiny circuits, with snarkjs as the independent verifier. A real circuit takes the same way in real_circuit_test.ts. */
import assert from "node:assert/strict";
import { bytesToHex } from "@noble/hashes/utils.js";
import { circuits } from "../../src/core/groth16.ts";
import { beginCeremony, closeWithBeacon, contributeTo } from "../../src/ops/ceremony/ceremony.ts";
import { checkHistory, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { keyFile, TRANSCRIPT } from "../../src/ops/ceremony/folder.ts";
import { verificationKey } from "../../src/ops/ceremony/keys.ts";
import { sameBytes } from "../../src/ops/ceremony/sections.ts";
import { type Transcript } from "../../src/ops/ceremony/transcript.ts";
import { parseZkey } from "../../src/ops/ceremony/zkey.ts";
import { bytesOf, tinyWitness } from "../support/tiny_ceremony.ts";
import {
  beacon,
  copy,
  holdCeremony,
  LAST,
  mem,
  openTiny,
  text,
  transcriptOf,
} from "../support/held_ceremony.ts";

Deno.test("a ceremony of two people and a beacon", async (t) => {
  await using tiny = await openTiny();
  const { snarkjs, arithmetic, ptau, r1cs, origin } = tiny;
  const { honest, atRound, verify, keyOf } = await holdCeremony(tiny);

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
});
