/** A version 2 jetton pool through the client and a relayer on a localnet, with test keys. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { toNano } from "@ton/core";
import { depositByTransfer } from "../../../src/client/deposit/deposit_transfer.ts";
import type { Payer } from "../../../src/client/deposit/payer.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { auditPool } from "../../../src/ops/audit/audit.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../src/ton/jetton/jetton.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import { BATCH_MS, recipient, Version2Harness } from "../../support/relayer/version2_harness.ts";

const KEY = "jet-10-v2";
const REFUND = toNano("0.02");

/** Starts a local network whose relayer settles deposits eagerly. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const v2 = new Version2Harness(net, KEY);
  const { jettonMaster, denomination, asset, decimals } = net.pool(KEY);
  const jetton = { asset, decimals: decimals!, jettonMaster: jettonMaster! };
  const balanceOf = async (owner: typeof recipient) => {
    const wallet = await fetchJettonWalletAddress(net.chain, jettonMaster!, owner);
    return (await fetchJettonWalletData(net.chain, wallet))?.balance ?? 0n;
  };
  const notes = [v2.note(), v2.note(), v2.note()];
  const common = {
    chain: net.chain,
    pool: v2.pool,
    network: "localnet",
    jetton,
    pollIntervalMs: 50,
  } as const;
  await net.startRelayer({ settle: "eager", batchMs: BATCH_MS, maxCostNano: toNano(10) });
  const open = stack.move();
  return {
    net,
    common,
    notes,
    jettonMaster,
    balanceOf,
    v2,
    denomination,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a jetton pool of version 2: notes deposited by wallet and by link, settled eagerly, are withdrawn in one message", async (t) => {
  await using scene = await openScene();
  await depositsByWalletAndLink(t, scene);
  await t.step(
    "a transfer of a wrong amount is returned, with the reason and the owner",
    () => returnsWrongAmount(scene),
  );
  await t.step(
    "the relayer settles, and pays two notes and a refund with one message",
    () => paysTwoNotes(scene),
  );
  await t.step(
    "the pool passes its audit, and its wallet holds the remaining note's jettons",
    () => passesAudit(scene),
  );
});

async function depositsByWalletAndLink(t: Deno.TestContext, { net, common, notes }: Scene): Promise<void> {
  await t.step("a wallet's deposit needs no proof, and its unused coins are returned", async () => {
    const before = await net.user.balance();
    const result = await depositByTransfer({ ...common, note: notes[0], wallet: net.user });
    deepEqual([result.leafIndex, result.depositor.equals(net.user.address)], [0, true]);
    await waitUntil(
      "the unused coins are returned",
      async () => before - await net.user.balance() < toNano("0.2"),
    );
  });

  await t.step("a payer sends the whole transfer with enough coins", async () => {
    const payer: Payer = {
      address: net.user.address,
      pay: async ({ to, amount, body }) =>
        void await net.user.send([{ to, value: amount, body, bounce: true }]),
    };
    const { leafIndex } = await depositByTransfer({ ...common, note: notes[1], payer });
    equal(leafIndex, 1);
  });
}

async function returnsWrongAmount(
  { net, jettonMaster, balanceOf, common, notes, v2, denomination }: Scene,
): Promise<void> {
  const jettonWallet = await fetchJettonWalletAddress(net.chain, jettonMaster!, net.user.address);
  const before = await balanceOf(net.user.address);
  const steps: string[] = [];
  const stop = new AbortController();
  const waiting = depositByTransfer({
    ...common,
    note: notes[2],
    payer: { address: net.relayerAddress, pay: () => new Promise(() => {}) },
    onStep: (step) => step.step === "refused" && steps.push(`${step.reason} ${step.sender}`),
  }, { signal: stop.signal });
  waiting.catch(() => {});
  const wrong = v2.pool.buildJettonDepositMessage({
    commitment: notes[2].commitment,
    amount: denomination - 1n,
    owner: net.user.address,
    jettonWallet,
    forwardAmount: await v2.pool.getDepositValue(),
  });
  await net.user.send([wrong]);
  await waitUntil("the refusal is reported", () => steps.length === 1);
  deepEqual(steps, [`ERR_WRONG_DENOMINATION ${net.user.address}`]);
  stop.abort();
  await rejects(waiting, { code: "cancelled" });
  await waitUntil("the jettons are returned", async () => await balanceOf(net.user.address) === before);
}

async function paysTwoNotes({ common, notes, net, v2, balanceOf, denomination }: Scene): Promise<void> {
  await depositByTransfer({ ...common, note: notes[2], wallet: net.user });
  await v2.untilSettled(3);
  v2.tree.appendMany(notes.map(({ commitment }) => commitment));
  await v2.untilLeaves(3);
  const requests = [await v2.request(notes[0], 0, { refund: REFUND }), await v2.request(notes[1], 1)];
  await v2.withdrawTogether(requests);
  const jobs = [];
  for (const [i, note] of notes.slice(0, 2).entries()) {
    const nullifierHash = poseidon([note.nullifier, BigInt(i)]);
    const id = { pool: v2.address, nullifierHash: fieldToHex(nullifierHash) };
    equal((await net.untilState(id, "confirmed", "failed", "expired")).state, "confirmed");
    jobs.push((await net.store.job({ pool: net.pool(KEY).address.toRawString(), nullifierHash }))!);
  }
  deepEqual(jobs[0].txHash, jobs[1].txHash, "one message pays both");
  await waitUntil("both are paid", async () => await balanceOf(recipient) === 2n * (denomination - v2.fee));
  await waitUntil("the fees are paid", async () => await balanceOf(net.relayerAddress) === 2n * v2.fee);
  await waitUntil("the refund is paid", async () => (await net.chain.account(recipient)).balance > 0n);
  const again = await net.post("/withdraw", requests[0]);
  deepEqual([again.status, again.body.code], [409, "nullifier_already_used"]);
}

async function passesAudit({ net, balanceOf, denomination }: Scene): Promise<void> {
  const { address } = net.pool(KEY);
  const { sound, checks } = await auditPool({
    chain: net.chain,
    network: "localnet",
    address,
    registry: net.localnet.deployments,
  });
  ok(sound, JSON.stringify(checks.filter(({ verdict }) => verdict === "failed")));
  equal(await balanceOf(address), denomination);
}
