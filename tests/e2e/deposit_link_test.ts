/**
 * Deposits whose source of the tree is behind the chain: the client makes no link and no transfer for a taken
 * leaf.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Cell, type TupleItem, TupleReader } from "@ton/core";
import { depositByLink, type LinkDepositStep } from "../../src/client/deposit/deposit_link.ts";
import {
  type Chain,
  commitmentsFromChain,
  type CommitmentSource,
  connect,
  createNote,
  createProver,
  depositNative,
  type DepositStep,
  openWallet,
  Pool,
  Problem,
} from "../../src/mod.ts";
import { decodeTransferLink } from "../support/cli/transfer_link.ts";
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

/** Pays a link as a phone does. */
async function pay(url: string): Promise<void> {
  const { to, amount, bin } = decodeTransferLink(url);
  await wallet.send([{ to, value: amount, bounce: true, body: Cell.fromBoc(Buffer.from(bin))[0] }]);
}

const linksOf = (steps: readonly LinkDepositStep[]) =>
  steps.flatMap((step) => step.step === "link" ? step.link : []);

Deno.test("no link is shown for a leaf that is taken while the source of the tree is one deposit behind", async () => {
  await deposit();
  await deposit();
  const steps: LinkDepositStep[] = [];
  let requests = 0;
  const result = depositByLink({
    ...common,
    note: freshNote(),
    timeoutMs: 300_000,
    source: sourceThatIs(() => requests++ === 0),
    onStep(step) {
      steps.push(step);
      if (step.step === "link") void pay(step.link.url);
    },
  });
  const { leafIndex, attempts } = await result;
  assert.deepEqual([leafIndex, attempts], [2, 1]);
  assert.deepEqual(linksOf(steps).map((link) => link.leafIndex), [2]);
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
  await assert.rejects(depositByLink(request), incomplete);
  assert.equal(await wallet.seqno(), seqno);
});

Deno.test("a link that the pool refused as stale is replaced, even if the deposit that took its leaf was never seen", async () => {
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
  const steps: LinkDepositStep[] = [];
  const running = depositByLink({
    ...common,
    chain: behind,
    pool: new Pool(behind, pool.address),
    note: freshNote(),
    timeoutMs: 300_000,
    source: sourceThatIs(() => lagging),
    onStep: (step) => steps.push(step),
  });
  await waitUntil("a link", () => linksOf(steps).length === 1);
  assert.equal(linksOf(steps)[0].leafIndex, before, "a link for a taken leaf");
  lagging = false;
  await pay(linksOf(steps)[0].url);
  await waitUntil("another link", () => linksOf(steps).length === 2);
  await pay(linksOf(steps)[1].url);
  const { leafIndex, attempts } = await running;
  assert.deepEqual([leafIndex, attempts], [before + 1, 2]);
  const named = steps.map((step) => step.step === "refused" ? step.reason : step.step);
  assert.deepEqual(named.slice(3, 5), ["ERR_STALE_DEPOSIT", "stale"]);
});

Deno.test("the localnet and the prover end", async () => {
  prover.close();
  await localnet.close();
});
