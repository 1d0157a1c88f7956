/// <reference lib="dom" />
/**
 * A recorded session from a deposit to a receipt: the test searches everything that left the page or stayed
 * readable in the browser for values that would reveal the money or its owner.
 */
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { placeNote } from "../../../src/core/protocol/note.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openPool } from "../../../src/ton/pool/any_pool.ts";
import type { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { type FaultScene, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { newContent, noteOf } from "../../support/app/funded_notes.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  openPayment,
  SETTLEMENT_TIMEOUT_MS,
} from "../../support/app/steps/money_steps.ts";
import { assertAbsent, formsOf } from "../../support/app/secret_forms.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

const POOL = "native-10-v2";

Deno.test({
  name: "a recorded session contains no seed, no note, no commitment and no unspent nullifier hash",
  ignore: chromium === undefined,
  fn: () => withFaultScene({}, searchSession),
});

async function searchSession(scene: FaultScene): Promise<void> {
  const content = newContent();
  const deployment = scene.deployments.pools.get(POOL)!;
  const record = noteOf(content.seed, deployment);
  const note = record.note.reveal();
  const { requests, console, shown, prepare } = recordSession(scene);
  const visit = await scene.visit({ content, prepare });
  const secrets = new Map<string, readonly string[]>([
    ["the passphrase", [PASSPHRASE]],
    ["the seed", [formatNoteSeed(content.seed).reveal(), ...formsOf(content.seed.reveal())]],
    ["the note", [record.text.reveal(), ...formsOf(note.nullifier), ...formsOf(note.secret)]],
  ]);
  const commitment = new Map([["the commitment", formsOf(note.commitment)]]);

  await openPayment(visit);
  const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
  assert.ok(
    formsOf(note.commitment).some((form) => link.includes(form)),
    "the note is the one that is watched",
  );
  await copyEverything(visit);
  assertAbsent("requests before the payment", requests, secrets, commitment);
  const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
  assert.equal(code, 0, stderr);
  await visit.step("deposited");
  await visit.click("Show my notes");
  await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
  const chain = connect({ network: "localnet", endpoint: scene.indexer });
  const pool = openPool(chain, deployment.address, 2) as V2Pool;
  const [leafIndex] = (await pool.readLog()).leavesOf(note.commitment);
  const { nullifierHash } = placeNote(note, leafIndex);
  const hash = new Map([["the nullifier hash", formsOf(nullifierHash)]]);

  await enterRecipient(visit);
  await visit.step("review");
  assertAbsent("requests before the withdrawal", requests, secrets, commitment, hash);
  await confirmWithdrawal(visit);
  await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  assert.ok(requests.some((each) => each.startsWith("/withdraw ")), "the recording saw the withdrawal");
  assertAbsent("requests", requests, secrets, commitment);
  await visit.click("Done");
  await visit.step("notes");
  shown.push(...await visit.page.evaluate(() => [document.title, location.href, ...history.state ?? []]));
  assertAbsent("addresses and titles", shown, secrets, commitment, hash);
  assertAbsent("the console", console, secrets, commitment, hash);
  assertAbsent("localStorage and sessionStorage", await readStorage(visit), secrets, commitment, hash);
  const copied = await visit.page.evaluate(() => (globalThis as unknown as { copied: string[] }).copied);
  assert.equal(copied.length, 3, "address, amount and comment");
  assertAbsent("the clipboard", copied, secrets, hash);
  assertAbsent("the database", await visit.page.evaluate(readDatabase), secrets, commitment, hash);
}

/** Records from the start what the page sends and prints, and its addresses. */
function recordSession({ gates, app }: FaultScene) {
  const requests: string[] = [];
  const console: string[] = [];
  const shown: string[] = [];
  for (const gate of Object.values(gates)) {
    gate.record = (path, body) => void requests.push(`${path} ${body}`);
  }
  app.intercept = (request) => {
    requests.push(request.url);
    return undefined;
  };
  const prepare = async (page: Page) => {
    page.on("console", (message) => void console.push(message.text()));
    page.on("framenavigated", (frame) => void shown.push(frame.url()));
    page.on("request", (request) => void requests.push(`${request.url()} ${request.postData() ?? ""}`));
    await page.evaluateOnNewDocument(recordClipboard);
  };
  return { requests, console, shown, prepare };
}

async function readStorage({ page }: Visit): Promise<string[]> {
  const stored = await page.evaluate(() =>
    [localStorage, sessionStorage].flatMap((storage) =>
      Object.entries(storage).map(([key, value]) => `${key} ${value}`)
    )
  );
  assert.ok(stored.length > 0);
  return stored;
}

async function copyEverything(visit: Visit): Promise<void> {
  const texts = await visit.page.$$eval(
    ".any-wallet > *",
    (parts) => parts.map((each) => (each as HTMLElement).innerText),
  );
  assert.match(texts[0], /Do not pay from an exchange, unless/, "the warning comes before the address");
  await visit.click("Send it by hand");
  for (const button of await visit.page.$$('button[aria-label^="Copy: "]')) await button.click();
  const copied = await visit.page.evaluate(() => (globalThis as unknown as { copied: string[] }).copied);
  assert.ok(copied.includes("10"), "the amount is copied without its unit");
}

/** Runs in the page, like the functions below. */
function recordClipboard(): void {
  const copied: string[] = [];
  Object.assign(globalThis, { copied });
  Object.defineProperty(navigator.clipboard, "writeText", {
    value: (text: string) => {
      copied.push(text);
      return Promise.resolve();
    },
  });
}

async function readDatabase(): Promise<string[]> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open("tonado");
    request.onsuccess = () => resolve(request.result);
  });
  const texts: string[] = [];
  for (const name of database.objectStoreNames) {
    if (name === "leaves") continue; // public facts of all deposits
    const records = database.transaction(name).objectStore(name);
    const [keys, values] = await Promise.all(
      [records.getAllKeys(), records.getAll()].map((request) =>
        new Promise<unknown[]>((resolve) => request.onsuccess = () => resolve(request.result as unknown[]))
      ),
    );
    const text = (value: unknown) =>
      value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : JSON.stringify(value);
    texts.push(...keys.map(String), ...values.map(text));
  }
  database.close();
  return texts;
}
