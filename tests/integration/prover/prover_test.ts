import assert from "node:assert/strict";
import { depositProverInput, withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { type Artifacts, openArtifacts } from "../../../src/prover/artifacts.ts";
import type { ProofWithSignals } from "../../../src/core/crypto/groth16.ts";
import {
  createProver,
  type ProofProgress,
  type Prover,
  type ProverOptions,
} from "../../../src/prover/prover.ts";

async function withProver(options: ProverOptions, test: (prover: Prover) => Promise<void>): Promise<void> {
  const prover = await createProver(options);
  try {
    await test(prover);
  } finally {
    prover.close();
  }
}

const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;

/** Starts a worker as the product does. */
const startWorker = () =>
  new Worker(new URL("../../../src/prover/prover_worker.ts", import.meta.url), { type: "module" });

for (const workers of [1, 2, 4]) {
  Deno.test(`${workers} worker(s) prove a withdrawal and a deposit; progress only grows and ends at 1`, () =>
    withProver({ maxWorkers: workers }, async (prover) => {
      const { root, nullifierHash, recipient, relayer, fee, refund } = withdrawProverInput();
      const progress: ProofProgress[] = [];
      const withdrawal = await prover.proveWithdraw(withdrawProverInput(), {
        onProgress: (p) => progress.push(p),
      });
      assert.deepEqual(
        withdrawal.publicSignals,
        [root, nullifierHash, recipient, relayer, fee, refund].map(String),
      );
      assert.equal(await prover.verify("withdraw", withdrawal.proof, withdrawal.publicSignals), true);

      assert.deepEqual(
        new Set(progress.map((p) => p.stage)),
        new Set(["loading", "witness", "proving", "done"]),
      );
      assert.deepEqual(progress.at(-1), { stage: "done", fraction: 1 });
      for (const [i, { fraction }] of progress.slice(1).entries()) assert(fraction > progress[i].fraction);

      const { prevRoot, newRoot, commitment, leafIndex } = depositProverInput();
      const deposit = await prover.proveDeposit(depositProverInput());
      assert.deepEqual(deposit.publicSignals, [prevRoot, newRoot, commitment, BigInt(leafIndex)].map(String));
      assert.equal(await prover.verify("deposit", deposit.proof, deposit.publicSignals), true);
      assert.equal(await prover.verify("withdraw", deposit.proof, deposit.publicSignals), false);
    }));
}

Deno.test("two concurrent proofs of one witness differ in every point, and both are valid", () =>
  withProver({ maxWorkers: 2 }, async (prover) => {
    const [one, other] = await Promise.all([
      prover.proveWithdraw(withdrawProverInput()),
      prover.proveWithdraw(withdrawProverInput()),
    ]);
    assert.deepEqual(one.publicSignals, other.publicSignals);
    for (const point of ["pi_a", "pi_b", "pi_c"] as const) {
      assert.notDeepEqual(one.proof[point], other.proof[point]);
    }
    for (const { proof, publicSignals } of [one, other]) {
      assert.equal(await prover.verify("withdraw", proof, publicSignals), true);
    }
  }));

Deno.test("inputs that do not satisfy the circuit, or are not field elements, are refused; the prover still works", () =>
  withProver({ maxWorkers: 1 }, async (prover) => {
    const input = withdrawProverInput();
    await assert.rejects(
      prover.proveWithdraw({ ...input, root: input.root + 1n }),
      code("constraints_unsatisfied"),
    );
    await assert.rejects(prover.proveWithdraw({ ...input, fee: -1n }), code("not_in_field"));
    await assert.rejects(
      prover.proveWithdraw({ ...input, pathElements: input.pathElements.slice(1) }),
      code("invalid_request"),
    );
    await assert.rejects(
      prover.proveDeposit({ ...depositProverInput(), leafIndex: 6 }),
      code("constraints_unsatisfied"),
    );
    await assert.rejects(
      prover.proveDeposit({ ...depositProverInput(), leafIndex: 0.5 }),
      code("invalid_request"),
    );
    const uncloneable = { ...input, fee: (() => 1n) as unknown as bigint };
    await assert.rejects(prover.proveWithdraw(uncloneable), code("invalid_request"));
    await assert.rejects(
      prover.proveWithdraw({ ...input, fee: input.fee + 1n, root: 0n }),
      code("constraints_unsatisfied"),
    );
  }));

Deno.test("a proof with an aborted signal does not start", () =>
  withProver({ maxWorkers: 1, startWorker: () => assert.fail("a worker was started") }, async (prover) => {
    await assert.rejects(
      prover.proveWithdraw(withdrawProverInput(), { signal: AbortSignal.abort() }),
      code("cancelled"),
    );
  }));

for (const stage of ["loading", "witness", "proving"] as const) {
  Deno.test(`a proof that is cancelled while ${stage} fails with cancelled, and the next one succeeds`, () =>
    withProver({ maxWorkers: 2 }, async (prover) => {
      const cancel = new AbortController();
      const after: ProofProgress[] = [];
      const proof = prover.proveDeposit(depositProverInput(), {
        signal: cancel.signal,
        onProgress: (progress) => {
          if (cancel.signal.aborted) after.push(progress);
          else if (progress.stage === stage) queueMicrotask(() => cancel.abort());
        },
      });
      await assert.rejects(proof, code("cancelled"));
      assert.deepEqual(after, []);
      const { proof: next, publicSignals } = await prover.proveWithdraw(withdrawProverInput());
      assert.equal(await prover.verify("withdraw", next, publicSignals), true);
    }));
}

Deno.test("a proof that is cancelled while proving restarts no worker and parses no key again", async () => {
  let started = 0;
  const counted = () => (started++, startWorker());
  await withProver({ maxWorkers: 2, cancelTimeoutMs: 60_000, startWorker: counted }, async (prover) => {
    const cancel = new AbortController();
    const onProgress = ({ fraction }: ProofProgress) => fraction > 0.1 && cancel.abort();
    const proof = prover.proveWithdraw(withdrawProverInput(), { signal: cancel.signal, onProgress });
    await assert.rejects(proof, code("cancelled"));
    const { publicSignals } = await prover.proveWithdraw(withdrawProverInput());
    assert.equal(publicSignals.length, 6);
    assert.equal(started, 2);
  });
});

Deno.test("an error thrown by onProgress fails the proof, and the next one succeeds", () =>
  withProver({ maxWorkers: 1 }, async (prover) => {
    for (const stage of ["loading", "witness", "proving"] as const) {
      const mistake = new Error("mistake");
      const onProgress = (progress: ProofProgress) => {
        // Proving starts at 0.1; the workers report the rest.
        if (progress.stage === stage && progress.fraction !== 0.1) throw mistake;
      };
      await assert.rejects(prover.proveWithdraw(withdrawProverInput(), { onProgress }), mistake);
    }
    const { proof, publicSignals } = await prover.proveWithdraw(withdrawProverInput());
    assert.equal(await prover.verify("withdraw", proof, publicSignals), true);
  }));

Deno.test("a waiting verification is cancelled at once, while the running task continues", () =>
  withProver({ maxWorkers: 1 }, async (prover) => {
    const { proof, publicSignals } = await sample();
    const cancel = new AbortController();
    const running = prover.verify("withdraw", proof, publicSignals);
    const waiting = prover.verify("withdraw", proof, publicSignals, { signal: cancel.signal });
    cancel.abort();
    await assert.rejects(waiting, code("cancelled"));
    assert.equal(await running, true);
  }));

Deno.test("tasks beyond the queue's limit are refused as busy, and the accepted ones complete", () =>
  withProver({ maxWorkers: 1, maxQueuedTasks: 2 }, async (prover) => {
    const { proof, publicSignals } = await sample();
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => prover.verify("withdraw", proof, publicSignals)),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status === "fulfilled" ? answer.value : answer.reason.code),
      [true, true, true, "verification_busy", "verification_busy"],
    );
  }));

Deno.test("closing fails running and waiting tasks, and refuses later ones", async () => {
  const prover = await createProver({ maxWorkers: 1 });
  const { proof, publicSignals } = await sample();
  const outcomes: Promise<unknown>[] = [];
  const proving = new Promise<void>((resolve) => {
    const started = ({ stage }: ProofProgress) => stage === "witness" && resolve();
    outcomes.push(prover.proveWithdraw(withdrawProverInput(), { onProgress: started }));
  });
  await proving;
  outcomes.push(prover.verify("withdraw", proof, publicSignals));
  prover.close();
  outcomes.push(prover.verify("withdraw", proof, publicSignals));
  for (const outcome of await Promise.allSettled(outcomes)) {
    assert(outcome.status === "rejected" && code("cancelled")(outcome.reason));
  }
});

const crashes: [string, () => Worker][] = [
  [
    "throws outside of a task",
    () => source(`onmessage = () => queueMicrotask(() => { throw new Error("lost") });`),
  ],
  ["reports a trap of its WASM", () => {
    const trap = { kind: "failed", code: "internal", message: "unreachable", errors: [], fatal: true };
    return source(`onmessage = () => postMessage(${JSON.stringify(trap)});`);
  }],
  ["does not load", () => source(`import "../../../src/prover/not-there.js";`)],
];
for (const [crash, startCrashing] of crashes) {
  Deno.test(`a worker that ${crash} fails only its own task, and is replaced`, async () => {
    const { proof, publicSignals } = await sample();
    const workers = [startCrashing, startWorker];
    await withProver({ maxWorkers: 1, startWorker: () => workers.shift()!() }, async (prover) => {
      const [hit, next] = await Promise.allSettled([
        prover.verify("withdraw", proof, publicSignals),
        prover.verify("withdraw", proof, publicSignals),
      ]);
      assert(hit.status === "rejected" && code("internal")(hit.reason));
      assert(next.status === "fulfilled" && next.value);
      assert.deepEqual(workers, []);
    });
  });
}

Deno.test("a proof that does not verify is not returned", async () => {
  const real = openArtifacts();
  const key = JSON.parse(new TextDecoder().decode(await real.load("deposit.vkey.json")));
  // Another point of the same group, as in a key with other parameters.
  const other = new TextEncoder().encode(JSON.stringify({ ...key, vk_alpha_1: key.IC[0] }));
  const artifacts: Artifacts = {
    ...real,
    load: async (name) => name === "deposit.vkey.json" ? other : await real.load(name),
  };
  await withProver({ artifacts, maxWorkers: 1 }, async (prover) => {
    await assert.rejects(prover.proveDeposit(depositProverInput()), code("internal"));
  });
});

function source(text: string): Worker {
  return new Worker(`data:text/javascript,${encodeURIComponent(text)}`, { type: "module" });
}

let made: Promise<ProofWithSignals> | undefined;

/** Returns the proof of an honest withdrawal, which is made once. */
function sample(): Promise<ProofWithSignals> {
  return made ??= createProver().then((prover) =>
    prover.proveWithdraw(withdrawProverInput()).finally(() => prover.close())
  );
}
