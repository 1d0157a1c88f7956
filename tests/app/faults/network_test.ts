/// <reference lib="dom" />
/**
 * A network that is down, wrong or incomplete at each step: the screen names the next step, which then
 * works.
 */
import assert from "node:assert/strict";
import { downloaded } from "../../support/app/app_scene.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { type FaultCases, runCases, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import {
  chooseAmount,
  confirmWithdrawal,
  enterRecipient,
  openReport,
  withdraw,
} from "../../support/app/steps/money_steps.ts";
import { goOffline, goOnline, OFFLINE, SILENT } from "../../support/app/steps/network_steps.ts";
import { restoreCode } from "../../support/app/steps/restore_steps.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

/** The `validator.zero_state` of mainnet. */
const MAINNET = {
  root_hash: "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=",
  file_hash: "XplPz01CXAps5qeSWUtxcyBfdAo5zVb1N979KLSKD24=",
};

/** Matches the screen's text about the number of a pool's deposits. */
const CROWD = /deposits? so far|No deposit yet/;

Deno.test({
  name: "the network",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 5 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "an endpoint of another network is not used, and the screens say which setting to change"(scene) {
    const { deposit, withdrawal } = scene.gates;
    for (const gate of [deposit, withdrawal]) {
      gate.alter = (_path, json) =>
        json.result?.init ? { ...json, result: { ...json.result, init: MAINNET } } : json;
    }
    const visit = await scene.visit();
    await visit.click("Check the notes");
    await visit.page.waitForSelector(".notice.is-warning");
    assert.equal(
      (await visit.notices())[1],
      "Several pools could not be read. Check that the wallet, the endpoint and the file are for the same network as this app.",
    );
    await visit.inspect("notes-wrong-network");
    await chooseAmount(visit);
    await visit.step("deposit-failed");
    assert.match(
      (await visit.notices())[1],
      /^This belongs to another network\. Check that the wallet, the endpoint/,
    );
    await visit.inspect("deposit-wrong-network");
  },

  async "offline, a deposit stops before it shows an amount, and goes on"(scene) {
    const visit = await scene.visit();
    await goOffline(visit);
    await chooseAmount(visit);
    await visit.step("deposit-failed");
    assert.deepEqual(await visit.notices(), [OFFLINE, "The deposit stopped", SILENT]);
    await visit.inspect("deposit-offline");
    await goOnline(visit);
    await visit.click("Try again");
    await visit.step("amount");
    await visit.page.click('input[value="native-10-v2"]');
    await visit.click("Continue");
    await visit.step("pay-");
  },

  async "a payment that is made while the page is offline is found when it is online"(scene) {
    const visit = await scene.visit();
    await chooseAmount(visit);
    await visit.step("pay-");
    await goOffline(visit);
    await waitForNotice(visit, "The network does not answer. We keep trying.");
    await visit.inspect("pay-offline");
    const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
    const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
    assert.equal(code, 0, stderr);
    await goOnline(visit);
    await visit.step("deposited");
  },

  async "a slow answer moves no button of the amounts"(scene) {
    const { deposit } = scene.gates;
    const visit = await scene.visit();
    deposit.hold();
    await visit.click("Deposit");
    await visit.step("amount");
    assert.doesNotMatch(await visit.text(), CROWD);
    const before = await boxesOfControls(visit);
    deposit.open();
    await visit.page.waitForFunction(
      (crowd) => new RegExp(crowd).test(document.body.innerText),
      {},
      CROWD.source,
    );
    assert.deepEqual(await boxesOfControls(visit), before);
  },

  async "offline, the check of the notes reports it once, and can be repeated"(scene) {
    const visit = await scene.visit();
    await visit.page.waitForFunction(() => document.body.innerText.includes("Check the notes"));
    await goOffline(visit);
    await visit.click("Check the notes");
    await waitForNotice(visit, `Several pools could not be read. ${SILENT.replace(/^[^.]*\. /, "")}`);
    await goOnline(visit);
    await visit.click("Check the notes");
    await visit.page.waitForFunction(() =>
      document.querySelector(".progress") === null &&
      document.querySelector(".notice.is-warning") === null
    );
  },

  async "offline, a withdrawal stops before anything is sent, and goes on"(scene) {
    const visit = await scene.visit({ content: scene.takeFunded() });
    await visit.page.waitForSelector("li.note.deposited");
    await goOffline(visit);
    await enterRecipient(visit);
    await waitForNotice(visit, SILENT);
    await visit.inspect("recipient-offline");
    await goOnline(visit);
    await visit.click("Continue");
    await visit.step("review");
    await visit.page.click("#accept");
    await goOffline(visit);
    await visit.page.click("button.primary");
    await visit.step("withdraw-failed");
    assert.match((await visit.notices())[2], /Check your internet connection and try again\./);
    await visit.inspect("withdraw-offline");
    await goOnline(visit);
    await visit.click("Try again");
    await visit.step("review");
  },

  async "offline, a recovery code makes the store, and its notes are found when the page is online"(scene) {
    const { seed } = scene.takeFunded();
    const visit = await scene.visit({ content: "none" });
    await visit.step("absent");
    await goOffline(visit);
    await visit.click("I have a backup");
    await restoreCode(visit, seed, PASSPHRASE);
    await waitForNotice(visit, `Several pools could not be read. ${SILENT.replace(/^[^.]*\. /, "")}`);
    await goOnline(visit);
    await visit.click("Check the notes");
    await visit.page.waitForSelector("li.note.deposited");
  },

  async "offline, a report is neither made nor checked, and both go on when the page is online"(scene) {
    const visit = await scene.visit({ content: scene.takeFunded() });
    await withdraw(visit);
    await visit.step("withdrawn");
    await openReport(visit);
    await goOffline(visit);
    await visit.click("Make a report");
    await waitForNotice(visit, SILENT);
    await goOnline(visit);
    await visit.click("Make a report");
    await visit.step("report-made");
    await visit.click("Save the report");
    const report = await downloaded(scene.downloads, "report");
    await visit.click("Back");
    await visit.step("report");
    await goOffline(visit);
    await visit.choose("Choose a report", report);
    await waitForNotice(visit, SILENT);
    await goOnline(visit);
    await visit.choose("Choose a report", report);
    await visit.step("report-checked");
    assert.match(await visit.text(), /The report is true, with a warning/);
    await visit.click("Back");
    await visit.choose("Choose a report", await alterRecipient(report));
    await visit.page.waitForFunction(() => document.body.innerText.includes("The report is not true"));
    await visit.inspect("report-false");
    const wrong = await visit.page.$$eval(
      ".checks .failed",
      (found) => found.map((each) => (each as HTMLElement).innerText.split("\n")),
    );
    assert.deepEqual(wrong.map(([, sentence]) => sentence), [
      "It does not prove that its maker knows the note, or another version of the app made it.",
      "The pool has no such withdrawal, or not as the report describes it.",
    ]);
    assert.doesNotMatch(await visit.text(), /Paid out to/, "no fact of a false report is shown");
  },

  async "a key that the website altered is refused, and a missing one is loaded when it is there"(scene) {
    const visit = await scene.visit({ content: scene.takeFunded() });
    const isKey = (request: Request) => request.url.endsWith("withdraw2.zkey");
    scene.app.intercept = (request) => isKey(request) ? new Response("altered") : undefined;
    await withdraw(visit);
    await visit.step("withdraw-failed");
    assert.deepEqual(await visit.notices(), [
      "The withdrawal stopped",
      "A file from this website is not the one that this app expects. Do not continue here. Load the page again. If this happens again, use the tonado program.",
    ]);
    await visit.inspect("artifact-corrupted");
    scene.app.intercept = (request) => isKey(request) ? new Response("", { status: 404 }) : undefined;
    await visit.click("Try again");
    await confirmWithdrawal(visit);
    await visit.step("withdraw-failed");
    assert.match(
      (await visit.notices())[1],
      /^Files that are needed could not be loaded\. Check your internet/,
    );
    scene.app.intercept = undefined;
    await visit.click("Try again");
    await confirmWithdrawal(visit);
    await visit.step("withdrawn");
  },
};

function boxesOfControls({ page }: Visit): Promise<object[]> {
  return page.$$eval(
    "button, a, label",
    (found) => found.map((each) => each.getBoundingClientRect().toJSON()),
  );
}

async function waitForNotice(visit: Visit, text: string): Promise<void> {
  await visit.page.waitForFunction(
    (text) =>
      [...document.querySelectorAll<HTMLElement>(".notice > div")].some(({ innerText }) =>
        innerText.trim().replace(/\s+/g, " ") === text
      ),
    {},
    text,
  ).catch(async () => assert.fail(`no notice says ${text}: ${await visit.notices()}`));
}

/** Returns once the notice is shown, which moves the buttons below it. */
/** Writes a copy of the report that names its depositor as the recipient, and returns its path. */
async function alterRecipient(path: string): Promise<string> {
  const { statement, ...others } = JSON.parse(await Deno.readTextFile(path));
  statement.withdrawal.recipient = statement.deposit.depositor;
  const altered = path.replace(".json", "-altered.json");
  await Deno.writeTextFile(altered, JSON.stringify({ ...others, statement }));
  return altered;
}
