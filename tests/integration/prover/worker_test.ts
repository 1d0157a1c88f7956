/** The data that remains in a worker after a proof. Every witness contains the note's secrets. */
import assert from "node:assert/strict";
import { honestWithdrawal } from "../../../testkit/circuits/circuit_inputs.ts";
import { withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import type { RemainingBytes, WorkerReady } from "../../support/prover/memory_wipe_worker.ts";
import type { WorkerMessage } from "../../../src/threads/worker_message.ts";
import { joinMsmShares, planMsmShares } from "../../../src/prover/msm_shares.ts";
import { createProver, type Prover } from "../../../src/prover/prover.ts";
import { computeWitness } from "../../../src/prover/witness.ts";
import type { ProverTask, ProverTaskResults, ProvingKeyParts } from "../../../src/prover/prover_task.ts";

const artifact = (name: string) => Deno.readFileSync(new URL(`../../../artifacts/${name}`, import.meta.url));
const program = artifact("withdraw.wasm").buffer;
const zkey = artifact("withdraw.zkey");
const inputs = { ...honestWithdrawal(3n) };
const nothing: RemainingBytes = { kind: "left", witness: 0, pieces: 0, answer: 0, witnessProgram: 0 };

type Answer = WorkerMessage<ProverTaskResults[keyof ProverTaskResults]>;
type Ask = (task: ProverTask) => Promise<[answer: Answer, left: RemainingBytes]>;

/** Runs a test on a worker whose memory is observed, one task after another. */
async function withWorker(test: (ask: Ask) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL("../../support/prover/memory_wipe_worker.ts", import.meta.url), {
    type: "module",
  });
  const messages: (Answer | RemainingBytes | WorkerReady)[] = []; // several may arrive at once
  let arrived = () => {};
  const failed = Promise.withResolvers<never>();
  worker.onmessage = ({ data }) => {
    messages.push(data);
    arrived();
  };
  worker.onerror = ({ message }) => failed.reject(new Error(message));
  const next = async () => {
    if (messages.length === 0) {
      await Promise.race([failed.promise, new Promise<void>((resolve) => arrived = resolve)]);
    }
    return messages.shift()!;
  };
  try {
    assert.equal((await next()).kind, "ready");
    await test(async (task) => {
      worker.postMessage(task);
      const [answer, left] = [await next(), await next()];
      assert(left.kind === "left" && (answer.kind === "done" || answer.kind === "failed"));
      return [answer, left];
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("a worker keeps neither a computed witness nor the memory that held it", () =>
  withWorker(async (ask) => {
    const [answer, left] = await ask({ kind: "witness", program, inputs });
    assert(answer.kind === "done");
    assert.deepEqual(answer.result, computeWitness(new Uint8Array(program), inputs));
    assert.deepEqual(left, nothing);
  }));

Deno.test("the same if the inputs are refused", () =>
  withWorker(async (ask) => {
    const [answer, left] = await ask({ kind: "witness", program, inputs: { ...inputs, root: 0n } });
    assert(answer.kind === "failed" && answer.code === "constraints_unsatisfied");
    assert.deepEqual(left, nothing);
  }));

Deno.test("a worker keeps neither witness nor unblinded points, whether its task succeeds or fails", () =>
  withWorker(async (ask) => {
    const witness = computeWitness(new Uint8Array(program), inputs);
    const [parsed, leftOfKey] = await ask({ kind: "parse_key", zkey });
    assert(parsed.kind === "done");
    const key = parsed.result as ProvingKeyParts<Uint8Array<ArrayBuffer>>;
    assert.deepEqual({ ...leftOfKey, answer: 0 }, nothing); // the answer is public, and stays in shared memory
    assert(Object.values(key).every(({ buffer }) => (buffer as unknown) instanceof SharedArrayBuffer));
    const excerpt = key.joint.buffer;
    const shares = planMsmShares(4);
    const points: Uint8Array[] = [];
    for (const share of shares) {
      const [answer, left] = await ask({ kind: "msm", keyPart: key[share.msm].buffer, witness, share });
      assert(answer.kind === "done");
      points.push(answer.result as Uint8Array);
      assert.deepEqual(left, nothing);
    }
    const pieces = joinMsmShares(shares, points);
    const [proof, leftOfPieces] = await ask({ kind: "assemble", keyPart: excerpt, msmResults: pieces });
    assert(proof.kind === "done" && (proof.result as Uint8Array).length === 384);
    assert.deepEqual(leftOfPieces, nothing);

    const malformed = { ...pieces, h: pieces.h.slice(1) };
    const failures: ProverTask[] = [
      { kind: "parse_key", zkey: zkey.slice(9) },
      { kind: "msm", keyPart: key.a.buffer, witness: witness.slice(32), share: shares[0] },
      { kind: "msm", keyPart: key.a.buffer.slice(9), witness, share: shares[0] },
      { kind: "msm", keyPart: excerpt, witness, share: shares[0] }, // not for any sum
      { kind: "assemble", keyPart: excerpt, msmResults: malformed },
    ];
    for (const task of failures) {
      const [answer, left] = await ask(task);
      assert.equal(answer.kind, "failed");
      assert.deepEqual(left, nothing);
    }
  }));

Deno.test("the calling thread keeps no witness and no unblinded points either", async () => {
  const sent: ProverTask[] = [];
  const startWorker = () => {
    const worker = new Worker(new URL("../../../src/prover/prover_worker.ts", import.meta.url), {
      type: "module",
    });
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (task: ProverTask, ...rest: unknown[]) => {
      sent.push(task);
      post(task, ...rest as [Transferable[]]);
    };
    return worker;
  };
  const prover = await createProver({ maxWorkers: 2, startWorker });
  try {
    await prover.proveWithdraw(withdrawProverInput());
  } finally {
    prover.close();
  }
  const assemble = sent.find((task) => task.kind === "assemble");
  const shares = sent.filter((task) => task.kind === "msm");
  assert(assemble !== undefined && shares.length > 0);
  for (const piece of Object.values(assemble.msmResults)) assert(piece.every((byte) => byte === 0));
  const wires = 7; // the constant 1, and six public signals
  for (const { witness } of shares) assert(witness.subarray(wires * 32).every((byte) => byte === 0));
});

/** Passes a prover, and the answers of its workers as this thread receives them. */
async function withAnswers(
  test: (prover: Prover, answers: readonly Uint8Array[]) => Promise<void>,
): Promise<void> {
  const answers: Uint8Array[] = [];
  const prover = await createProver({
    maxWorkers: 2,
    startWorker() {
      const worker = new Worker(new URL("../../../src/prover/prover_worker.ts", import.meta.url), {
        type: "module",
      });
      worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
        if (data.kind === "done" && data.result instanceof Uint8Array) answers.push(data.result);
      });
      return worker;
    },
  });
  try {
    await test(prover, answers);
  } finally {
    prover.close();
  }
}

/** Returns the non-zero bytes of the witness beyond the constant 1 and the public signals. */
const secretsIn = (answer: Uint8Array) =>
  answer.subarray(answer.length > 384 ? 7 * 32 : 0).filter((byte) => byte !== 0).length;

Deno.test("the same for a proof that is cancelled while its witness is computed", () =>
  withAnswers(async (prover, answers) => {
    const abort = new AbortController();
    const proof = prover.proveWithdraw(withdrawProverInput(), {
      signal: abort.signal,
      onProgress: ({ stage }) => stage === "witness" && setTimeout(() => abort.abort(), 0),
    });
    await assert.rejects(proof, { code: "cancelled" });
    await waitUntil("the worker has answered all the same", () => Promise.resolve(answers.length > 0));
    assert.ok(answers.every((answer) => secretsIn(answer) === 0));
  }));

Deno.test("the same for a proof that is cancelled while its sums are computed", () =>
  withAnswers(async (prover, answers) => {
    const abort = new AbortController();
    const proof = prover.proveWithdraw(withdrawProverInput(), {
      signal: abort.signal,
      onProgress: ({ fraction }) => fraction > 0.3 && abort.abort(),
    });
    await assert.rejects(proof, { code: "cancelled" });
    await prover.proveWithdraw(withdrawProverInput()); // longer than any task that a worker was still running
    assert.equal(answers.filter((answer) => secretsIn(answer) > 0).length, 1, "the proof's own bytes");
  }));

Deno.test("the same if the progress callback throws", () =>
  withAnswers(async (prover, answers) => {
    const thrown = new Error("no");
    const proof = prover.proveWithdraw(withdrawProverInput(), {
      onProgress({ stage }) {
        if (stage === "proving") throw thrown;
      },
    });
    await assert.rejects(proof, thrown);
    assert.deepEqual(answers.map(secretsIn), [0]);
  }));
