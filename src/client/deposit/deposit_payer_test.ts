import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { DepositScene } from "../../../testkit/simulation/deposit_scene.ts";
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { createNote } from "../../core/protocol/note.ts";
import { depositByPayer, type PayerDepositStep } from "./deposit_payer.ts";
import type { Payer } from "./payer.ts";

const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const { commitment } = note;
const wallet = new Address(0, Buffer.alloc(32, 1));
const stale = (leafIndex: number) => ({
  commitment,
  leafIndex,
  sender: wallet,
  exitCode: exitCodes.ERR_STALE_DEPOSIT,
});
const never = () => new Promise<void>(() => {});

function run(
  scene: DepositScene,
  answers: readonly (() => Promise<void>)[],
  { timeoutMs = 600_000 } = {},
) {
  const requests: { at: number; validUntil: number }[] = [];
  const cancelledAt: number[] = [];
  const steps: PayerDepositStep["step"][] = [];
  const payer: Payer = {
    address: wallet,
    pay(_message, { validUntil, signal }) {
      requests.push({ at: scene.now, validUntil });
      signal?.addEventListener("abort", () => cancelledAt.push(scene.now));
      return answers[requests.length - 1]?.() ?? never();
    },
  };
  const { chain, pool, clock, prover, source } = scene;
  const deposit = depositByPayer({
    chain,
    pool,
    note,
    clock,
    prover,
    source,
    payer,
    timeoutMs,
    network: "localnet",
    pollIntervalMs: 2_000,
    onStep: ({ step }) => void steps.push(step),
  });
  return { deposit, requests, cancelledAt, steps };
}

Deno.test("a payment counts when the pool logs it, whatever the wallet answers", async () => {
  const late = () => Promise.reject(new Problem("wallet_unavailable"));
  for (const answer of [() => Promise.resolve(), never, late]) {
    const scene = new DepositScene();
    scene.at(20_000, commitment);
    const { deposit, requests } = await run(scene, [answer]);
    const { leafIndex, attempts } = await deposit;
    deepEqual([leafIndex, attempts, requests.length, scene.now], [0, 1, 1, 20_000]);
  }
});

Deno.test("a wallet that declines ends the deposit at once, and a lost one after the payment's expiry", async () => {
  for (const code of ["wallet_declined", "insufficient_funds", "chain_inconsistent"] as const) {
    const declining = new DepositScene();
    const { deposit } = await run(declining, [() => Promise.reject(new Problem(code))]);
    await rejects(deposit, { code });
    equal(declining.now <= 2_000, true);
  }
  const lost = new DepositScene();
  const { deposit: second } = await run(lost, [() => Promise.reject(new Problem("wallet_unavailable"))]);
  await rejects(second, { code: "wallet_unavailable" });
  ok(lost.now > 195_000 && lost.now < 200_000, String(lost.now));
  const silent = new DepositScene();
  await rejects((await run(silent, [() => Promise.resolve()])).deposit, { code: "payment_timeout" });
});

Deno.test("the time to pay is counted by the chain's clock, not by the device's", async () => {
  for (const skewSeconds of [-3600, 3600]) {
    const scene = Object.assign(new DepositScene(), { skewSeconds });
    const start = scene.chainTime;
    const { deposit, requests } = await run(scene, [never]);
    await rejects(deposit, { code: "payment_timeout" });
    equal(requests[0].validUntil, start + 180);
    ok(scene.now > 195_000 && scene.now < 200_000, String(scene.now));
  }
});

Deno.test("after another deposit took the leaf, a payment is requested again only when the first has returned or expired", async () => {
  const returned = new DepositScene();
  returned.at(10_000, 99n);
  returned.at(30_000, stale(0));
  returned.at(40_000, commitment);
  const first = await run(returned, [() => Promise.resolve(), () => Promise.resolve()]);
  deepEqual([(await first.deposit).leafIndex, (await first.deposit).attempts], [1, 2]);
  deepEqual(first.requests.map(({ at }) => at), [0, 30_000]);
  equal(first.cancelledAt[0], 10_000, "the payer is asked to stop when its leaf is taken");
  deepEqual(first.steps.filter((step) => step === "stale" || step === "refused"), ["refused", "stale"]);
  const expired = new DepositScene();
  expired.at(10_000, 99n);
  expired.at(220_000, commitment);
  const second = await run(expired, [never, () => Promise.resolve()]);
  equal((await second.deposit).attempts, 2);
  ok(second.requests[1].at > 195_000, String(second.requests[1].at));
});

Deno.test("a payment that the pool refuses for another reason ends the deposit, by the payer's own wallet only", async () => {
  const refusal = { ...stale(0), exitCode: exitCodes.ERR_PAUSED };
  const own = new DepositScene();
  own.at(10_000, refusal);
  await rejects((await run(own, [never])).deposit, { code: "contract_refused", message: /ERR_PAUSED/ });
  const foreign = new DepositScene();
  foreign.at(10_000, { ...refusal, sender: new Address(0, Buffer.alloc(32, 2)) });
  foreign.at(20_000, commitment);
  equal((await (await run(foreign, [never])).deposit).leafIndex, 0);
});

Deno.test("a returned payment of another note, and a deposit below the own leaf, change nothing", async () => {
  const scene = new DepositScene();
  scene.at(1, 99n); // after the read of the pool's newest transaction, before that of the tree
  const { commitments } = scene.source;
  Object.assign(scene.source, {
    commitments(from: number) {
      scene.now += 1_000;
      return commitments(from);
    },
  });
  scene.at(10_000, { ...stale(1), commitment: 98n, exitCode: exitCodes.ERR_PAUSED });
  scene.at(30_000, commitment);
  const { deposit, cancelledAt, steps } = run(scene, [never]);
  const { leafIndex, attempts } = await deposit;
  deepEqual([leafIndex, attempts, steps], [1, 1, ["syncing", "proving", "paying"]]);
  deepEqual(cancelledAt, [scene.now], "only the deposit itself ends the request");
});

Deno.test("an expired payment never coincides with another one, in any order of deposits and returns", async () => {
  const arrival = fc.record({ at: fc.nat(400_000), kind: fc.constantFrom("foreign", "returned") });
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { maxLength: 6 }), async (arrivals) => {
      const scene = new DepositScene();
      for (const [i, { at, kind }] of arrivals.entries()) {
        scene.at(at, kind === "foreign" ? BigInt(100 + i) : stale(i));
      }
      const { deposit, requests } = await run(scene, []);
      await rejects(deposit, { code: "payment_timeout" });
      for (const [i, { at }] of requests.slice(1).entries()) {
        const before = requests[i];
        const refused = arrivals.some(({ kind, at: then }) => kind === "returned" && then <= at);
        ok(at > before.at + 105_000 || refused, JSON.stringify(requests));
      }
    }),
    { numRuns: 20 },
  );
});
