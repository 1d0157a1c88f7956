import assert from "node:assert/strict";
import type { CircuitFiles } from "./circuit_files.ts";
import { joinMsmShares, planMsmShares } from "./msm_shares.ts";
import { type CircuitVkey, prove, type ProverPool, verifyBytes } from "./proof_job.ts";
import type { MsmName, ProverTask } from "./prover_task.ts";

const names: MsmName[] = ["a", "b1", "b2", "c", "h"];

for (const workers of [0, 1, 2, 3, 4, 8]) {
  Deno.test(`a proof on ${workers} workers has every part of every sum once, and the parts join in order`, () => {
    const shares = planMsmShares(workers);
    const numbered = shares.map((share, i) => ({ ...share, i }));
    const sums = joinMsmShares(shares, shares.map((_, i) => Uint8Array.of(i)));
    for (const name of names) {
      const own = numbered.filter(({ msm }) => msm === name);
      assert.deepEqual(
        own.map(({ part }) => part),
        Array.from({ length: own[0].partCount }, (_, part) => part),
      );
      assert.deepEqual([...sums[name]], own.map(({ i }) => i));
    }
    assert.equal(shares.length, names.reduce((sum, name) => sum + sums[name].length, 0));
    assert.equal(shares.length, workers < 4 ? 5 : 7);
  });
}

Deno.test("parts of any length are concatenated without extra bytes", () => {
  const shares = planMsmShares(4);
  const sums = joinMsmShares(shares, shares.map((_, i) => new Uint8Array(3).fill(i + 1)));
  assert.deepEqual([...sums.b2], [1, 1, 1, 2, 2, 2]);
  assert.deepEqual([...sums.b1], [7, 7, 7]);
});

const vkey: CircuitVkey = { circuit: "withdraw", bytes: Uint8Array.of(8), publicSignalCount: 2 };
const part = (value: number) => Uint8Array.of(value).buffer;
const files: CircuitFiles = {
  witnessProgram: new Uint8Array(),
  provingKey: { a: part(1), b1: part(2), b2: part(3), c: part(4), h: part(5), joint: part(6) },
} as unknown as CircuitFiles;
const PROOF_BYTES = 48 + 96 + 48;

/** Workers that record their tasks, and the memory that must not outlive the proof. */
function recordingPool({ verifies = true, fails }: { verifies?: boolean; fails?: ProverTask["kind"] } = {}) {
  const tasks: string[] = [];
  const witness = new Uint8Array(5 * 32).fill(7);
  witness.set([9, ...Array(31).fill(0)], 32); // the first public signal, little endian
  witness.set([1, 2, ...Array(30).fill(0)], 64);
  const secrets: Uint8Array[] = [];
  const results = {
    witness: () => witness,
    msm: () => {
      secrets.push(new Uint8Array(4).fill(5));
      return secrets.at(-1)!;
    },
    assemble: () => new Uint8Array(PROOF_BYTES).fill(0),
    verify: () => verifies,
  };
  const run = (task: ProverTask, { highPriority = false } = {}) => {
    tasks.push(
      task.kind === "msm" ? `${task.share.msm} ${new Uint8Array(task.keyPart as ArrayBuffer)[0]}` : task.kind,
    );
    if (task.kind === "assemble") secrets.push(...Object.values(task.msmResults));
    if (task.kind === "verify") assert.ok(highPriority, "a check does not wait for proofs");
    return task.kind === fails
      ? Promise.reject(new Error(`${task.kind} failed`))
      : Promise.resolve(results[task.kind as keyof typeof results]());
  };
  return { pool: { availableWorkers: 1, run } as unknown as ProverPool, tasks, witness, secrets };
}

/** Asserts that of the witness only the constant and the public signals are left, and nothing of the sums. */
function assertWiped({ witness, secrets }: ReturnType<typeof recordingPool>): void {
  assert.deepEqual(witness.subarray(0, 32), new Uint8Array(32).fill(7));
  assert.equal(witness[32], 9);
  assert.deepEqual(witness.subarray(3 * 32), new Uint8Array(2 * 32));
  for (const secret of secrets) assert.deepEqual(secret, new Uint8Array(secret.length));
}

Deno.test("a proof has its signals, is checked before it is returned, and leaves no secret in memory", async () => {
  const recorded = recordingPool();
  const progress: [stage: string, percent: number][] = [];
  const { publicSignals } = await prove(recorded.pool, vkey, () => Promise.resolve(files), {}, {
    onProgress: ({ stage, fraction }) => progress.push([stage, Math.round(fraction * 100)]),
  });
  assert.deepEqual(publicSignals, ["9", "513"]);
  assert.deepEqual(recorded.tasks, ["witness", "b2 3", "h 5", "a 1", "c 4", "b1 2", "assemble", "verify"]);
  assert.equal(recorded.secrets.length, 10);
  assertWiped(recorded);
  assert.deepEqual(progress, [
    ["loading", 0],
    ["witness", 2],
    ...[10, 34, 60, 74, 88, 98, 99].map((percent) => ["proving", percent] as [string, number]),
    ["done", 100],
  ]);
});

for (const fails of ["msm", "assemble"] as const) {
  Deno.test(`a proof whose ${fails} fails leaves no secret in memory`, async () => {
    const recorded = recordingPool({ fails });
    await assert.rejects(prove(recorded.pool, vkey, () => Promise.resolve(files), {}, {}), {
      message: `${fails} failed`,
    });
    assertWiped(recorded);
  });
}

Deno.test("a proof that does not verify is not returned", async () => {
  const recorded = recordingPool({ verifies: false });
  await assert.rejects(prove(recorded.pool, vkey, () => Promise.resolve(files), {}, {}), {
    code: "internal",
    message: "the withdraw proof just made does not verify",
  });
  assertWiped(recorded);
  assert.equal(await verifyBytes(recorded.pool, vkey, new Uint8Array(), new Uint8Array()), false);
});

Deno.test("a proof that is cancelled before it starts loads no file and runs no task", async () => {
  const recorded = recordingPool();
  let loads = 0;
  const load = () => (loads++, Promise.resolve(files));
  await assert.rejects(prove(recorded.pool, vkey, load, {}, { signal: AbortSignal.abort() }), {
    code: "cancelled",
  });
  assert.deepEqual([loads, recorded.tasks], [0, []]);
});
