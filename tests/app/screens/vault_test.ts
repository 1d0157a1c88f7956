/// <reference lib="dom" />
/** The messages between the page and the vault's worker: which secrets the page gets, and when the worker ends. */
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { createNoteRecord, type NoteRecord } from "../../../src/client/notes/note_store.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { proveBackup } from "../../support/app/app_scene.ts";
import { type FaultScene, withFaultScene } from "../../support/app/fault_scene.ts";
import {
  confirmWithdrawal,
  enterRecipient,
  openPayment,
  SETTLEMENT_TIMEOUT_MS,
} from "../../support/app/steps/money_steps.ts";
import { assertAbsent, formsOf } from "../../support/app/secret_forms.ts";
import { chromium } from "../../support/system/chromium.ts";

Deno.test({
  name:
    "the vault's worker gives the page the secrets of the note that is withdrawn only, and ends when locked",
  ignore: chromium === undefined,
  fn: () => withFaultScene({ funded: 1 }, watchWorker),
});

async function watchWorker(scene: FaultScene): Promise<void> {
  const funded = scene.takeFunded();
  const [withdrawn] = funded.records;
  const other = createNoteRecord(
    formatNote(createNote({ asset: "native", amount: "1", network: "localnet" })),
    1,
  );
  const content = { seed: funded.seed, records: [withdrawn, other] };
  const visit = await scene.visit({
    content,
    isBackedUp: false,
    prepare: (page) => page.evaluateOnNewDocument(recordVaultMessages),
  });
  const seed = new Map([["the seed", [
    formatNoteSeed(content.seed).reveal(),
    ...formsOf(content.seed.reveal()),
  ]]]);
  const secrets = [secretsOf("the note", withdrawn), secretsOf("the other note", other)];
  const messages = () =>
    visit.page.evaluate(() => (globalThis as unknown as { vaultMessages: string[] }).vaultMessages);

  await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
  await visit.click("Back up now");
  await proveBackup(visit, scene.downloads);
  await visit.step("notes");
  await openPayment(visit); // derives another note
  await visit.click("Show my notes");
  await visit.step("notes");
  await enterRecipient(visit);
  await visit.step("review");
  const before = await messages();
  assertAbsent("messages before the withdrawal", before, seed, ...secrets);
  assertKnown(before, withdrawn, other);

  await confirmWithdrawal(visit);
  await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  const after = await messages();
  const ofNote = after.filter((text) => [...secrets[0].values()].flat().some((form) => text.includes(form)));
  assert.ok(ofNote.length > 0, "the withdrawal needed the note, and the recording saw it");
  assertAbsent("messages until the withdrawal", after, seed, secrets[1]);
  await visit.click("Done");
  await visit.step("notes");

  assert.equal(vaultWorkers(visit.page), 1);
  await visit.click("Lock");
  await visit.step("locked");
  await waitUntil("the worker ended", () => Promise.resolve(vaultWorkers(visit.page) === 0));
  await visit.page.evaluate(() => location.hash = "#/report");
  await visit.step("report");
  assert.doesNotMatch(await visit.text(), /no withdrawn note/);
  await visit.click("Unlock my notes");
  await visit.step("locked");
}

const vaultWorkers = (page: Page) =>
  page.workers().filter((worker) => worker.url().includes("/vault_worker-")).length;

const secretsOf = (what: string, { note, text }: NoteRecord) =>
  new Map([[
    what,
    [text.reveal(), ...formsOf(note.reveal().nullifier), ...formsOf(note.reveal().secret)],
  ]]);

/** The recording must see the messages: both notes are listed by their commitments. */
function assertKnown(messages: readonly string[], ...records: readonly NoteRecord[]): void {
  for (const { note } of records) {
    const forms = formsOf(note.reveal().commitment);
    assert.ok(messages.some((text) => forms.some((form) => text.includes(form))));
  }
}

/** Runs in the page. Records what each worker of the vault sends, as text. */
function recordVaultMessages(): void {
  const vaultMessages: string[] = [];
  const textOf = (_key: string, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    if (!(value instanceof Uint8Array)) return value;
    const hex = Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return [hex, new TextDecoder("latin1").decode(value)];
  };
  class RecordedWorker extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (!String(url).includes("/vault_worker-")) return;
      this.addEventListener("message", ({ data }) => vaultMessages.push(JSON.stringify(data, textOf)));
    }
  }
  Object.assign(globalThis, { vaultMessages, Worker: RecordedWorker });
}
