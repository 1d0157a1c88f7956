/// <reference lib="dom" />
/**
 * Servers with false data, a network that is lost after the submission, no shared memory: nothing is lost,
 * and the screen names the next step.
 */
import assert from "node:assert/strict";
import { type Address, toNano } from "@ton/core";
import { checkNotes } from "../../../src/client/notes/note_check.ts";
import { fieldToBytes, fieldToHex } from "../../../src/core/crypto/field.ts";
import { toNoteHashes } from "../../../src/core/protocol/note.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { alterRoots } from "../../../testkit/servers/endpoint_faults.ts";
import {
  type FaultCases,
  type FaultScene,
  runCases,
  type Visit,
  withFaultScene,
} from "../../support/app/fault_scene.ts";
import { unpaidContent } from "../../support/app/funded_notes.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  SETTLEMENT_TIMEOUT_MS,
  withdraw,
} from "../../support/app/steps/money_steps.ts";
import { withoutIsolation } from "../../support/app/serve_app.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";
/** The pools of version 2 on the local network, which each check reads. */
const V2_POOLS = 2;
/** The denomination of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");

Deno.test({
  name: "servers with false data or without answers",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 6 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "an endpoint with other roots than the pool's gets no withdrawal, and the note is withdrawn later"(
    scene,
  ) {
    const { withdrawal, relayer } = scene.gates;
    const visit = await scene.visit({ content: scene.takeFunded() });
    const recipient = await enterRecipient(visit);
    await visit.step("review");
    withdrawal.alter = (_path, json, body) =>
      body.includes("get_root_history") ? JSON.parse(alterRoots(JSON.stringify(json))) : json;
    const before = relayer.requests.length;
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed", SETTLEMENT_TIMEOUT_MS);
    const [title, text] = await visit.notices();
    assert.equal(title, "The withdrawal stopped");
    assert.match(text, /Your note is safe\..*Settings/);
    assert.ok(!relayer.requests.slice(before).includes("/withdraw"), "no proof left the page");
    withdrawal.open();
    await visit.click("Try again");
    await confirmWithdrawal(visit);
    await assertPaid(scene, visit, recipient);
  },

  async "a relayer that omits a spent note does not make it appear unspent"(scene) {
    const content = scene.takeFunded();
    const first = await scene.visit({ content });
    await assertPaid(scene, first, await withdraw(first));
    const { relayer } = scene.gates;
    relayer.alter = (path, json) => path === "/spent" ? { ...json, count: 0, nullifierHashes: [] } : json;
    const second = await scene.visit({ content }); // its store is older than the withdrawal
    await second.click("Check the notes");
    await second.page.waitForSelector("li.note.withdrawn", { timeout: SETTLEMENT_TIMEOUT_MS });
    assert.equal(await second.page.$("li.note.deposited button"), null);
    await second.inspect("note-spent-elsewhere");
    await second.page.close();
  },

  async "a relayer that lists an unspent note as spent does not stop its withdrawal"(scene) {
    const { gates: { relayer }, deployments, indexer } = scene;
    const content = scene.takeFunded();
    const note = content.records[0].note.reveal();
    const chain = connect({ network: "localnet", endpoint: indexer });
    const [{ leafIndex }] = await checkNotes(chain, deployments.pools.get(POOL)!.address, [note]);
    const hash = fieldToBytes(toNoteHashes(note).nullifierHashAt(leafIndex!));
    // The app compares the number of payments with the pool's.
    const spent = new Uint8Array(Array.from({ length: 10 }, () => [...hash]).flat());
    const visit = await scene.visit({ content });
    const headers = { "content-type": "application/octet-stream" };
    relayer.answer = (path) => path === "/spent" ? new Response(spent, { headers }) : undefined;
    await assertPaid(scene, visit, await withdraw(visit));
  },

  async "a relayer that lists an unpaid note as waiting for its settlement does not make it appear paid"(
    scene,
  ) {
    const { relayer } = scene.gates;
    const content = unpaidContent(scene.deployments.pools.get(POOL)!, 1);
    const pending = {
      leafIndex: 1_000_000,
      commitment: fieldToHex(content.records[0].note.reveal().commitment),
    };
    let lies = 0;
    relayer.alter = (path, json) => {
      if (path !== "/tree/commitments" || json.pending === undefined) return json;
      lies++;
      return { ...json, pending: [...json.pending, pending] };
    };
    const visit = await scene.visit({ content });
    await visit.click("Check the notes");
    await waitUntil("two checks", () => Promise.resolve(lies >= 2 * V2_POOLS + 1));
    await visit.page.waitForSelector("li.note.depositing button");
    assert.doesNotMatch(await visit.text(), /not ready yet/);
    await visit.page.close();
  },

  async "a note whose payment an endpoint invented can be withdrawn after a check of the log"(scene) {
    const content = scene.takeFunded();
    const [record] = content.records;
    const visit = await scene.visit({
      content: { ...content, records: [{ ...record, state: "withdrawn" }] },
    });
    await visit.page.waitForSelector("li.note.withdrawn");
    await visit.click("Check the notes");
    await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
    await assertPaid(scene, visit, await withdraw(visit));
  },

  async "a page that goes offline right after the hand-over follows the withdrawal when it is online"(scene) {
    const { relayer } = scene.gates;
    const visit = await scene.visit({ content: scene.takeFunded() });
    const recipient = await enterRecipient(visit);
    relayer.hold("/withdraw/status");
    await confirmWithdrawal(visit);
    await visit.page.waitForFunction(() => document.body.innerText.includes("You can close this page now."), {
      timeout: SETTLEMENT_TIMEOUT_MS,
    });
    await visit.page.setOfflineMode(true);
    relayer.open();
    await visit.step("withdraw-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match((await visit.notices()).join(" "), /sent to a relayer and may still arrive/);
    await visit.page.setOfflineMode(false);
    await visit.click("Follow it");
    await assertPaid(scene, visit, recipient);
  },

  async "without shared memory a note is withdrawn as well"(scene) {
    scene.app.alterHeaders = withoutIsolation;
    const visit = await scene.visit({ content: scene.takeFunded() });
    scene.app.alterHeaders = undefined;
    assert.equal(await visit.page.evaluate("crossOriginIsolated"), false);
    await assertPaid(scene, visit, await withdraw(visit));
  },
};

async function balanceOf({ indexer }: FaultScene, account: Address): Promise<bigint> {
  return (await connect({ network: "localnet", endpoint: indexer }).account(account)).balance;
}

async function assertPaid(scene: FaultScene, visit: Visit, recipient: Address): Promise<void> {
  await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  assert.equal(await balanceOf(scene, recipient), PAYOUT);
  await visit.page.close();
}
