import assert from "node:assert/strict";
import {
  depositProverInput,
  settlementProverInput,
  withdrawProverInput,
} from "../../testkit/circuits/prover_inputs.ts";
import committedPins from "../../artifacts/pins.json" with { type: "json" };
import { Problem } from "../core/errors/problem.ts";
import { type ArtifactName, openArtifacts } from "./artifacts.ts";
import { createProver } from "./prover.ts";

const committed = new URL("../../artifacts/", import.meta.url);
const names: ArtifactName[] = [
  "withdraw.wasm",
  "withdraw.zkey",
  "withdraw.vkey.json",
  "deposit.wasm",
  "deposit.zkey",
  "deposit.vkey.json",
  "withdraw2.wasm",
  "withdraw2.zkey",
  "withdraw2.vkey.json",
  "settle16.wasm",
  "settle16.zkey",
  "settle16.vkey.json",
];

async function withCopy(test: (folder: URL) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempDir();
  const folder = new URL(`file://${path}/`);
  try {
    for (const name of names) await Deno.copyFile(new URL(name, committed), new URL(name, folder));
    await test(folder);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

const corrupted = (name: string) => (error: unknown) =>
  error instanceof Problem && error.code === "artifact_corrupted" && error.message.includes(name);

async function flipOneBit(file: URL): Promise<void> {
  const bytes = await Deno.readFile(file);
  bytes[bytes.length >> 1] ^= 1;
  await Deno.writeFile(file, bytes);
}

Deno.test("the committed artifacts match their pins and are labelled insecure", async () => {
  const artifacts = openArtifacts();
  assert.equal(artifacts.label, "development keys, insecure");
  for (const name of names) assert((await artifacts.load(name)).length > 0);
});

for (const name of names) {
  Deno.test(`${name} with one bit flipped, cut short or missing is refused with its name`, () =>
    withCopy(async (folder) => {
      const artifacts = openArtifacts(folder);
      const file = new URL(name, folder);
      await flipOneBit(file);
      await assert.rejects(artifacts.load(name), corrupted(name));
      await Deno.writeFile(file, (await Deno.readFile(file)).subarray(0, 100));
      await assert.rejects(artifacts.load(name), corrupted(name));
      await Deno.remove(file);
      await assert.rejects(artifacts.load(name), corrupted(name));
    }));
}

Deno.test("a pins file beside the artifacts is ignored", () =>
  withCopy(async (folder) => {
    await flipOneBit(new URL("deposit.zkey", folder));
    const digest = await crypto.subtle.digest(
      "SHA-256",
      await Deno.readFile(new URL("deposit.zkey", folder)),
    );
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const pins = { label: "trust me", files: { "deposit.zkey": hex } };
    await Deno.writeTextFile(new URL("pins.json", folder), JSON.stringify(pins));
    await assert.rejects(openArtifacts(folder).load("deposit.zkey"), corrupted("deposit.zkey"));
  }));

Deno.test("createProver refuses a corrupted verification key", () =>
  withCopy(async (folder) => {
    await flipOneBit(new URL("deposit.vkey.json", folder));
    await assert.rejects(createProver({ artifacts: openArtifacts(folder) }), corrupted("deposit.vkey.json"));
  }));

Deno.test("a corrupted verification key of version 2 is refused at its first use, and works again once restored", () =>
  withCopy(async (folder) => {
    const key = new URL("settle16.vkey.json", folder);
    await flipOneBit(key);
    const prover = await createProver({ maxWorkers: 1, artifacts: openArtifacts(folder) });
    try {
      const { proof, publicSignals } = await prover.proveWithdraw(withdrawProverInput());
      await assert.rejects(prover.verify("settle16", proof, publicSignals), corrupted("settle16.vkey.json"));
      await assert.rejects(prover.proveSettlement(settlementProverInput()), corrupted("settle16.vkey.json"));
      await flipOneBit(key);
      const settlement = await prover.proveSettlement(settlementProverInput());
      assert.equal(await prover.verify("settle16", settlement.proof, settlement.publicSignals), true);
      assert.equal(await prover.verify("settle16", proof, publicSignals), false);
    } finally {
      prover.close();
    }
  }));

Deno.test("pins without version 2 serve version 1 and refuse the other circuits by name", async () => {
  const { version2, ...pins } = committedPins;
  assert.ok(version2);
  const artifacts = openArtifacts(committed, pins);
  assert.ok((await artifacts.load("withdraw.vkey.json")).length > 0);
  assert.throws(() => artifacts.expectedSha256("settle16.zkey"), corrupted("settle16.zkey"));
  await assert.rejects(artifacts.load("settle16.zkey"), corrupted("settle16.zkey"));
});

Deno.test("a corrupted key fails its own proofs with its name, and works again once restored", () =>
  withCopy(async (folder) => {
    const prover = await createProver({ maxWorkers: 1, artifacts: openArtifacts(folder) });
    try {
      await flipOneBit(new URL("withdraw.zkey", folder));
      await assert.rejects(prover.proveWithdraw(withdrawProverInput()), corrupted("withdraw.zkey"));
      await flipOneBit(new URL("deposit.wasm", folder));
      await assert.rejects(prover.proveDeposit(depositProverInput()), corrupted("deposit.wasm"));
      await flipOneBit(new URL("withdraw.zkey", folder));
      const { proof, publicSignals } = await prover.proveWithdraw(withdrawProverInput());
      assert.equal(await prover.verify("withdraw", proof, publicSignals), true);
    } finally {
      prover.close();
    }
  }));

for (
  const [what, pins] of Object.entries({
    "nothing": null,
    "no label": { files: {} },
    "no files": { label: "x" },
    "a malformed version 2": { ...committedPins, version2: { label: "x", files: {} } },
    "a malformed hash of the transcript": { ...committedPins, transcript: "5" },
    "a malformed hash": { label: "x", files: Object.fromEntries(names.map((name) => [name, "5"])) },
  })
) {
  Deno.test(`pins with ${what} are refused before any file is read`, () => {
    assert.throws(() => openArtifacts(committed, pins as never), {
      code: "artifact_corrupted",
      message: /pins\.json/,
    });
  });
}
