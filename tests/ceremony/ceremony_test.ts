/** The ceremony on two tiny circuits, with snarkjs as the independent verifier. real_circuit_test.ts repeats it on a real circuit. */
import assert from "node:assert/strict";
import { bytesToHex } from "@noble/hashes/utils.js";
import { circuitsOfVersion } from "../../src/core/crypto/groth16.ts";
import { beginCeremony, closeWithBeacon, contributeToCeremony } from "../../src/ops/ceremony/ceremony.ts";
import { checkHistory, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { keyFileName, TRANSCRIPT_FILE } from "../../src/ops/ceremony/ceremony_folder.ts";
import { verificationKey } from "../../src/ops/keys/key_export.ts";
import { equalBytes } from "../../src/ops/ceremony/section_file.ts";
import {
  type Contribution,
  keyEntries,
  type Transcript,
} from "../../src/ops/ceremony/transcript/transcript.ts";
import { parseZkey } from "../../src/ops/ceremony/zkey.ts";
import { memoryBytes, tinyWitness } from "../support/ceremony/tiny_ceremony.ts";
import {
  beacon,
  BEACON_ROUND,
  copyFolder,
  folderTranscript,
  memoryFile,
  openTinyCeremony,
  runCeremony,
  utf8,
} from "../support/ceremony/ceremony_fixture.ts";
import { omit } from "../../src/core/omit.ts";

/** Plays a ceremony of two contributors and a beacon on tiny circuits. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const tiny = stack.use(await openTinyCeremony());
  const { snarkjs, arithmetic, ptau, r1cs, origin } = tiny;
  const { honest, atRound, verify, keyOf } = await runCeremony(tiny);
  const earlierCheck = async (...args: Parameters<typeof verify>) =>
    (await verify(...args)).find(({ name }) => name === "earlier transcript")!;
  const open = stack.move();
  return {
    snarkjs,
    r1cs,
    ptau,
    keyOf,
    honest,
    verify,
    atRound,
    arithmetic,
    earlierCheck,
    origin,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a ceremony of two people and a beacon", async (t) => {
  await using scene = await openScene();
  await agreesWithSnarkjs(t, scene);
  await refusesAlteredEarlierTranscript(t, scene);
  await t.step(
    "a closed ceremony refuses contributions, an empty one a beacon, and a started one a second start",
    () => refusesStepsOutOfOrder(scene),
  );
  await hidesEntropy(t, scene);
});

async function agreesWithSnarkjs(
  t: Deno.TestContext,
  { snarkjs, r1cs, ptau, keyOf, honest, verify, atRound, arithmetic }: Scene,
): Promise<void> {
  await t.step("the initial keys equal those of snarkjs, byte for byte", async () => {
    for (const circuit of circuitsOfVersion[1]) {
      const output = { type: "mem" as const };
      await snarkjs.zKey.newZKey(memoryFile(r1cs[circuit]), memoryFile(ptau), output);
      const [actual, expected] = [
        await keyOf(honest, circuit, 0),
        await parseZkey(memoryBytes(output), "snarkjs'"),
      ];
      assert.deepEqual(actual, expected);
    }
  });

  await t.step(
    "every check passes, and snarkjs verifies both keys from constraints and powers",
    async () => {
      const checks = await verify(honest);
      const unchecked = checks.filter(({ verdict }) => verdict !== "ok").map(({ name }) => name);
      assert.deepEqual(unchecked, ["beacon", "contributors", "initial keys"]);
      for (const circuit of circuitsOfVersion[1]) {
        const key = honest.files.get(keyFileName(circuit, BEACON_ROUND))!;
        assert.equal(
          await snarkjs.zKey.verifyFromR1cs(memoryFile(r1cs[circuit]), memoryFile(ptau), memoryFile(key)),
          true,
        );
      }
    },
  );

  await t.step("snarkjs proves with the last key, and exports our verification key", async () => {
    for (const circuit of circuitsOfVersion[1]) {
      const file = honest.files.get(keyFileName(circuit, BEACON_ROUND))!;
      const vkey = verificationKey(await parseZkey(file, circuit));
      const expected = omit(await snarkjs.zKey.exportVerificationKey(memoryFile(file)), "vk_alphabeta_12");
      assert.deepEqual({ ...vkey }, expected);
      const { wtns, signals } = tinyWitness(circuit);
      const { proof, publicSignals } = await snarkjs.groth16.prove(memoryFile(file), memoryFile(wtns));
      assert.deepEqual(publicSignals, signals.map(String));
      assert.equal(await snarkjs.groth16.verify(vkey, publicSignals, proof), true);
      const wrong = publicSignals.with(0, "1");
      assert.equal(await snarkjs.groth16.verify(vkey, wrong, proof), false);
    }
  });

  await t.step("a contribution of snarkjs after ours is verified", async () => {
    const initial = await keyOf(honest, "deposit", 0);
    const output = { type: "mem" as const };
    await snarkjs.zKey.contribute(
      memoryFile(atRound[1].files.get(keyFileName("deposit", 1))!),
      output,
      "by snarkjs",
      "x",
    );
    const key = await parseZkey(memoryBytes(output), "snarkjs'");
    await checkHistory(key, arithmetic);
    assert.deepEqual(key.contributions.map(({ name }) => name), ["Alice", "by snarkjs"]);
    assert.ok(equalBytes(key.circuitHash, initial.circuitHash));
  });
}

async function refusesAlteredEarlierTranscript(
  t: Deno.TestContext,
  { atRound, earlierCheck, honest }: Scene,
): Promise<void> {
  await t.step("a contributor's copy of a transcript is a prefix of the later one", async () => {
    const earlier = folderTranscript(atRound[2]);
    const check = await earlierCheck(honest, { earlierTranscript: earlier });
    assert.deepEqual([check.name, check.verdict], ["earlier transcript", "ok"]);
  });

  const alterations: [string, (transcript: Transcript) => void][] = [
    ["another name", ({ entries }) => (entries[2] as Contribution).name = "Mallory"],
    [
      "another contribution hash",
      (transcript) => keyEntries(transcript)[1].keys.deposit.contributionHash = "00".repeat(64),
    ],
    [
      "another delta",
      (transcript) =>
        keyEntries(transcript)[1].keys.withdraw.delta = keyEntries(transcript)[0].keys.withdraw.delta,
    ],
    ["another key", (transcript) => keyEntries(transcript)[1].keys.withdraw.zkey = "00".repeat(32)],
    ["another one before it", ({ entries }) => entries[2].previous = "00".repeat(32)],
    [
      "a signature in it",
      ({ entries }) =>
        (entries[2] as Contribution).signature = { publicKey: "11".repeat(32), value: "11".repeat(64) },
    ],
  ];
  for (const [what, alter] of alterations) {
    await t.step(
      `an earlier transcript with ${what} under the same hash is refused`,
      async () => {
        const earlier = structuredClone(folderTranscript(atRound[2]));
        alter(earlier);
        const check = await earlierCheck(honest, { earlierTranscript: earlier });
        assert.equal(check.verdict, "failed", check.detail);
        assert.match(check.detail, /kept transcript.* contribution 2/);
      },
    );
  }

  await t.step("a transcript that is longer than the ceremony's is refused", async () => {
    const check = await earlierCheck(atRound[1], { earlierTranscript: folderTranscript(atRound[2]) });
    assert.equal(check.verdict, "failed");
    assert.match(check.detail, /another contribution 2 than the earlier one/);
  });
}

async function refusesStepsOutOfOrder({ honest, arithmetic, atRound, origin, verify }: Scene): Promise<void> {
  const late = { folder: copyFolder(honest), arithmetic, name: "Dave", entropy: utf8("too late") };
  await assert.rejects(contributeToCeremony(late), /is closed/);
  const empty = { folder: copyFolder(atRound[0]), arithmetic, ...beacon };
  await assert.rejects(closeWithBeacon(empty), /has no contribution/);
  await assert.rejects(
    beginCeremony({ folder: copyFolder(atRound[1]), arithmetic, ...origin }),
    /has already begun/,
  );
  const [verdict] = (await verify(atRound[0])).filter(({ name }) => name === "deposit: delta");
  assert.match(verdict.detail, /same delta as gamma/);
}

async function hidesEntropy(
  t: Deno.TestContext,
  { honest, atRound, arithmetic, verify }: Scene,
): Promise<void> {
  await t.step("no entropy is written, and equal entropy gives different secrets", () => {
    for (const [name, content] of honest.files) {
      assert.ok(!new TextDecoder("latin1").decode(content).includes("what Alice typed"), name);
    }
    const [one, two] = [
      contributionSeeds(circuitsOfVersion[1], utf8("x")),
      contributionSeeds(circuitsOfVersion[1], utf8("x")),
    ];
    assert.equal(new Set([...Object.values(one), ...Object.values(two)].map(bytesToHex)).size, 4);
  });

  await t.step("after a run that ends before it writes the transcript, the ceremony continues", async () => {
    const cut = copyFolder(atRound[1]);
    const failing = {
      ...cut,
      write: (name: string, content: Uint8Array) =>
        name === TRANSCRIPT_FILE ? Promise.reject(new Error("power cut")) : cut.write(name, content),
    };
    const by = { arithmetic, name: "Bob", entropy: utf8("e") };
    await assert.rejects(contributeToCeremony({ ...by, folder: failing }), /power cut/);
    assert.deepEqual((await verify(cut)).filter(({ verdict }) => verdict === "failed"), []);
    assert.equal(keyEntries(await contributeToCeremony({ ...by, folder: cut })).length, 2);
    assert.deepEqual((await verify(cut)).filter(({ verdict }) => verdict === "failed"), []);
  });
}
