/**
 * The tab is killed at drawn moments of deposits and withdrawals: every payment becomes a note that can be withdrawn, and
 * every note is paid once. It runs only with TONADO_APP_KILLS, the number of kills of each flow: each takes many seconds.
 * TONADO_SEED repeats the moments.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, toNano } from "@ton/core";
import fc from "fast-check";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { createStore, inBrowser, proveBackup, type Scene } from "../support/app/app_scene.ts";
import { type Journey, PASSPHRASE } from "../support/app/journey.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { chromium } from "../support/system/chromium.ts";

const KILLS = Number(Deno.env.get("TONADO_APP_KILLS") ?? 0);
const SEED = Number(Deno.env.get("TONADO_SEED") ?? Date.now() % 2 ** 31);
/** A deposit is on the screen within a second, a withdrawal is paid within about six. */
const LONGEST = { deposit: 1_500, withdrawal: 8_000 };
const PAYMENT_TIMEOUT_MS = 180_000;
const POOL = "native-10-v2";
/** Of 10, less the relayer's fee of 0.05. */
const PAYOUT = toNano("9.95");

const register = KILLS > 0 ? Deno.test : undefined;
register?.({
  name:
    `a tab that is killed ${KILLS} times in each flow loses no payment and pays no note twice (seed ${SEED})`,
  ignore: chromium === undefined,
  fn: () =>
    inBrowser(async (scene) => {
      const moments = (longest: number) => fc.sample(fc.nat(longest), { seed: SEED, numRuns: KILLS });
      await createStore(scene.journey);
      await beginDeposit(scene.journey);
      await proveBackup(scene.journey, scene.downloads);
      await scene.journey.step("pay-");
      let journey = await reopen(scene);
      let paid = 0;
      for (const moment of moments(LONGEST.deposit)) {
        await beginDeposit(journey);
        const link = await linkAfter(journey, moment);
        journey = await reopen(scene);
        if (link === undefined) continue;
        await pay(scene, link); // the app is open again, and does not know
        paid++;
        await waitForNotes(journey, paid);
      }
      if (paid === 0) {
        await beginDeposit(journey);
        await journey.step("pay-");
        await pay(scene, (await linkOf(journey))!);
        await journey.step("deposited");
        await journey.click("Show my notes");
        paid++;
      }
      await waitForNotes(journey, paid);
      for (const moment of moments(LONGEST.withdrawal).slice(0, paid)) {
        journey = await withdraw(scene, journey, moment);
      }
    }),
});

async function beginDeposit(journey: Journey): Promise<void> {
  await journey.click("Deposit");
  await journey.step("amount");
  await journey.page.click(`input[value="${POOL}"]`);
  await journey.click("Continue");
}

const linkOf = async (journey: Journey) =>
  await (await journey.page.$('a[href^="ton://"]'))?.evaluate((link) => link.getAttribute("href")!);

/** Returns what an owner has seen until then. */
async function linkAfter(journey: Journey, ms: number): Promise<string | undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return await linkOf(journey);
}

async function pay({ net }: Scene, link: string): Promise<void> {
  const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", net.indexer]);
  assert.equal(code, 0, stderr);
}

async function reopen({ killTab }: Scene): Promise<Journey> {
  const journey = await killTab();
  await journey.step("locked");
  await journey.type("passphrase", PASSPHRASE);
  await journey.click("Unlock");
  await journey.step("notes");
  return journey;
}

/** Every payment is a note that waits for nothing more. */
async function waitForNotes(journey: Journey, count: number): Promise<void> {
  await waitUntil(`${count} notes are paid in`, async () => {
    const notes = await journey.page.$$("li.note.deposited");
    if (notes.length < count) await check(journey);
    return notes.length === count;
  }, PAYMENT_TIMEOUT_MS);
}

async function check(journey: Journey): Promise<void> {
  const button = await journey.page.$(
    "::-p-xpath(//button[starts-with(normalize-space(),'Check the notes')])",
  );
  await button?.click();
  await new Promise((resolve) => setTimeout(resolve, 500));
}

/** Withdraws one note, with a tab that is killed after `moment` ms. */
async function withdraw(scene: Scene, journey: Journey, moment: number): Promise<Journey> {
  const recipient = new Address(0, crypto.getRandomValues(Buffer.alloc(32)));
  const chain = connect({ network: "localnet", endpoint: scene.net.indexer });
  const received = async () => (await chain.account(recipient)).balance;
  await beginWithdrawal(journey, recipient);
  await new Promise((resolve) => setTimeout(resolve, moment));
  journey = await reopen(scene);
  // A deposited note waits until the first check of the visit has read that it is settled.
  await waitUntil("no note waits", async () => await journey.page.$("li.note.waiting") === null);
  const left = (await journey.page.$$("li.note.deposited")).length;
  const follow = await journey.page.$("li.note.withdrawing button");
  if (follow) {
    await follow.click();
    await journey.step("withdrawn", PAYMENT_TIMEOUT_MS);
    await journey.click("Done");
  } else if (await received() === 0n && left > 0) {
    await beginWithdrawal(journey, recipient);
    await journey.step("withdrawn", PAYMENT_TIMEOUT_MS);
    await journey.click("Done");
  }
  await journey.step("notes");
  assert.equal(await received(), PAYOUT, `killed after ${moment} ms`);
  return journey;
}

async function beginWithdrawal(journey: Journey, recipient: Address): Promise<void> {
  await (await journey.page.waitForSelector("li.note.deposited button"))!.click();
  await journey.step("recipient");
  await journey.type("recipient", recipient.toString({ testOnly: true, bounceable: false }));
  await journey.click("Continue");
  await journey.step("review");
  await journey.page.click("#accept");
  await journey.page.click("button.primary");
}
