/// <reference lib="dom" />
/** A depositor settles from the app while no relayer does: native and jetton pools, a closed page, other settlers. */
import assert from "node:assert/strict";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { settleDeposits } from "../../../src/client/settlement/settle_deposits.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type FaultCases, type FaultScene, runCases, withFaultScene } from "../../support/app/fault_scene.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import { waitForNotice, waitForText } from "../../support/app/steps/payment_steps.ts";
import {
  checkNotes,
  openOffer,
  poolOf,
  settle,
  settlementsOf,
  showReadyNote,
  unsettledVisit,
} from "../../support/app/steps/settle_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const NATIVE = "native-10-v2";
const JETTON = "jet-10-v2";
const CHUNK = 16;

Deno.test({
  name: "a depositor settles",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ settles: false }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "a native deposit, and the settlement names the connected wallet"(scene) {
    const visit = await unsettledVisit(scene, NATIVE);
    await visit.inspect("settle-note");
    await openOffer(visit);
    await visit.inspect("settle-offer");
    assert.match(await visit.text(), /This settlement has only your deposit/);
    await visit.click("Test wallet");
    await waitForText(visit, "Settle with");
    await visit.inspect("settle-wallet");
    await visit.click("Settle with");
    await waitForText(visit, "Making the proof");
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    await visit.inspect("settled");
    assert.match(await visit.text(), /Your settlement was accepted/);
    const [{ sender, end, cost }] = await settlementsOf(scene, NATIVE);
    assert.ok(sender.equals(scene.wallet.address));
    assert.equal(end, 1);
    assert.ok(cost !== undefined);
    await showReadyNote(visit);
  },

  async "a jetton deposit, after its pool could not be read"(scene) {
    const visit = await unsettledVisit(scene, JETTON);
    scene.gates.deposit.answer = () => new Response("", { status: 503 });
    await visit.click("Settle it yourself");
    await visit.step("settle-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match(await visit.text(), /Your deposit is safe\. Nothing is lost if you leave this page\./);
    await visit.inspect("settle-failed");
    scene.gates.deposit.open();
    await visit.click("Try again");
    await visit.page.waitForSelector('[data-step="settle"]', { timeout: SETTLEMENT_TIMEOUT_MS });
    await settle(visit);
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    assert.equal((await settlementsOf(scene, JETTON)).length, 1);
    await showReadyNote(visit);
  },

  async "after closing the page while its wallet was asked, from the start"(scene) {
    const visit = await unsettledVisit(scene, NATIVE);
    const sent = scene.wallet.sent;
    scene.conduct = () => "silent";
    await openOffer(visit);
    await settle(visit);
    await waitForText(visit, "Confirm it in Test wallet");
    await visit.inspect("settle-asking");
    await visit.reopen();
    assert.equal(scene.wallet.sent, sent);
    await checkNotes(visit);
    scene.conduct = () => "declines";
    await openOffer(visit);
    await settle(visit);
    await waitForNotice(visit, /^The wallet says that you declined\. You can ask it again\.$/);
    scene.conduct = () => "signs";
    await visit.click("Settle with");
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    await showReadyNote(visit);
  },

  async "in two rounds, because older deposits fill the first, and another settler takes the second"(scene) {
    const pool = poolOf(scene, NATIVE);
    const settled = await pool.getSettled();
    await depositOthers(scene, CHUNK - settled);
    const visit = await unsettledVisit(scene, NATIVE);
    await openOffer(visit);
    assert.match(await visit.text(), /yours needs 2 settlements/);
    await visit.inspect("settle-rounds");
    await settle(visit);
    await waitForNotice(visit, /^Your settlement was accepted\. Your deposit needs another one\.$/);
    assert.equal(await pool.getSettled(), CHUNK);
    await visit.inspect("settle-next");
    scene.conduct = () => "silent";
    await visit.click("Settle with");
    await waitForText(visit, "Confirm it in Test wallet");
    await settleAsRival(scene);
    await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
    await visit.inspect("settled-by-another");
    const text = await visit.text();
    assert.match(text, /Someone else settled it/);
    assert.match(text, /Decline the request that your wallet still shows/);
    await showReadyNote(visit);
  },
};

async function openRival({ indexer, wallets }: FaultScene) {
  const { mnemonic, version } = wallets.find(({ version }) => version === "v5R1")!; // one transfer for all deposits
  const chain = connect({ network: "localnet", endpoint: indexer });
  return await openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
}

/** Makes deposits of other users, which precede the visitor's. */
async function depositOthers(scene: FaultScene, count: number): Promise<void> {
  const pool = poolOf(scene, NATIVE);
  const rival = await openRival(scene);
  const { denomination: value } = scene.deployments.pools.get(NATIVE)!;
  const end = await pool.getNextIndex() + count;
  await rival.send(
    Array.from(
      { length: count },
      (_, i) => pool.buildCommentDepositMessage({ commitment: poseidon([BigInt(i), 7n]), value }),
    ),
  );
  await waitUntil("the deposits of others are queued", async () => await pool.getNextIndex() === end);
}

async function settleAsRival(scene: FaultScene): Promise<void> {
  const prover = await createProver({ maxWorkers: 1 });
  try {
    const pool = poolOf(scene, NATIVE);
    await settleDeposits({ pool, wallet: await openRival(scene), prover }, { pollIntervalMs: 200 });
  } finally {
    prover.close();
  }
}
