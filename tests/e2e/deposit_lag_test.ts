/**
 * Deposits whose source of the tree is behind the chain: the client makes no request and no transfer for a
 * taken leaf.
 */
import assert from "node:assert/strict";
import { type TupleItem, TupleReader } from "@ton/core";
import {
  type Chain,
  commitmentsFromChain,
  type CommitmentSource,
  connect,
  createNote,
  createProver,
  depositByPayer,
  depositNative,
  type DepositStep,
  openWallet,
  type Payer,
  type PayerDepositStep,
  type PayMessage,
  Pool,
  Problem,
} from "../../src/mod.ts";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";

const network = "localnet" as const;
await useTrapdoorKeys();
const localnet = await startTestLocalnet({ blockTimeMs: 0, pools: ["1"] });
const chain = connect({ endpoint: localnet.url });
const pool = new Pool(chain, localnet.deployments.pools.get("native-1")!.address);
const prover = await createProver({ maxWorkers: 2 });
const wallet = await openWallet(localnet.wallets[0].mnemonic, { ...localnet.wallets[0], network, chain });
const freshNote = () => createNote({ asset: "native", amount: "1", network });
const common = { chain, pool, network, prover, pollIntervalMs: 50 } as const;
const deposit = () => depositNative({ ...common, wallet, note: freshNote() });

/** Returns a source that omits the newest leaf while `behind` returns true. */
function sourceThatIs(behind: () => boolean): CommitmentSource {
  const { commitments } = commitmentsFromChain(chain, pool.address);
  return {
    async *commitments(from) {
      const leaves = (await Array.fromAsync(commitments(from))).flat();
      yield behind() ? leaves.slice(0, -1) : leaves;
    },
  };
}

/** Sends a message as a connected wallet does. */
async function send({ to, amount, body }: PayMessage): Promise<void> {
  await wallet.send([{ to, value: amount, bounce: true, body }]);
}

const payer: Payer = { address: wallet.address, pay: send };
const requestsOf = (steps: readonly PayerDepositStep[]) =>
  steps.flatMap((step) => step.step === "paying" ? step : []);

Deno.test("nothing is requested for a leaf that is taken while the source of the tree is one deposit behind", async () => {
  await deposit();
  await deposit();
  const steps: PayerDepositStep[] = [];
  let requests = 0;
  const result = depositByPayer({
    ...common,
    payer,
    note: freshNote(),
    timeoutMs: 300_000,
    source: sourceThatIs(() => requests++ === 0),
    onStep: (step) => steps.push(step),
  });
  const { leafIndex, attempts } = await result;
  assert.deepEqual([leafIndex, attempts], [2, 1]);
  assert.deepEqual(requestsOf(steps).map((request) => request.leafIndex), [2]);
});

Deno.test("a deposit waits for a source that is one deposit behind, instead of paying for a taken leaf", async () => {
  const steps: DepositStep[] = [];
  let requests = 0;
  const { leafIndex, attempts } = await depositNative({
    ...common,
    wallet,
    note: freshNote(),
    onStep: (step) => steps.push(step),
    source: sourceThatIs(() => requests++ === 0),
  });
  assert.deepEqual([leafIndex, attempts], [3, 1]);
  assert.equal(steps.filter(({ step }) => step === "lost").length, 0);
});

Deno.test("a source that stays behind causes a timeout, and nothing is sent", async () => {
  const request = { ...common, note: freshNote(), source: sourceThatIs(() => true), treeTimeoutMs: 0 };
  const incomplete = (error: unknown) => error instanceof Problem && error.code === "tree_incomplete";
  const seqno = await wallet.seqno();
  await assert.rejects(depositNative({ ...request, wallet }), incomplete);
  await assert.rejects(depositByPayer({ ...request, payer }), incomplete);
  assert.equal(await wallet.seqno(), seqno);
});

Deno.test("a payment that the pool refused as stale is requested again, even if the deposit that took its leaf was never seen", async () => {
  const before = await pool.getNextIndex();
  const oldAnswers = new Map<string, TupleItem[]>();
  for (const method of ["get_root_history", "getNextIndex"]) {
    const answer = await chain.runGetMethod(pool.address, method);
    oldAnswers.set(method, Array.from({ length: answer.remaining }, () => answer.pop()));
  }
  await deposit(); // takes leaf `before`
  let lagging = true; // a load balancer may choose a node whose getters answer from before that deposit
  const behind: Chain = Object.assign(Object.create(chain), {
    runGetMethod: (...requests: Parameters<Chain["runGetMethod"]>) => {
      const answer = lagging ? oldAnswers.get(requests[1]) : undefined;
      return answer ? Promise.resolve(new TupleReader(answer)) : chain.runGetMethod(...requests);
    },
  });
  const steps: PayerDepositStep[] = [];
  const running = depositByPayer({
    ...common,
    payer: { ...payer, pay: () => new Promise(() => {}) },
    chain: behind,
    pool: new Pool(behind, pool.address),
    note: freshNote(),
    timeoutMs: 300_000,
    source: sourceThatIs(() => lagging),
    onStep: (step) => steps.push(step),
  });
  await waitUntil("a request", () => requestsOf(steps).length === 1);
  assert.equal(requestsOf(steps)[0].leafIndex, before, "a request for a taken leaf");
  lagging = false;
  await send(requestsOf(steps)[0].message);
  await waitUntil("another request", () => requestsOf(steps).length === 2);
  await send(requestsOf(steps)[1].message);
  const { leafIndex, attempts } = await running;
  assert.deepEqual([leafIndex, attempts], [before + 1, 2]);
  const named = steps.map((step) => step.step === "refused" ? step.reason : step.step);
  assert.deepEqual(named.slice(3, 5), ["ERR_STALE_DEPOSIT", "stale"]);
});

Deno.test("the localnet and the prover end", async () => {
  prover.close();
  await localnet.close();
});
