/// <reference lib="dom" />
/** The steps of payments with the injected wallet, and a chain whose clock is ahead. */
import type { WalletConduct } from "../../../../testkit/wallet/test_wallet.ts";
import { waitUntil } from "../../../../testkit/programs/wait_until.ts";
import assert from "node:assert/strict";
import type { FaultScene, Visit } from "../fault_scene.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS } from "./money_steps.ts";

/** A payment request expires after 180 s, and its payment is visible within 60 s more. */
const AFTER_EXPIRY_SECONDS = 300;

/** Opens a payment in a new profile, and connects the wallet. */
export async function connectedVisit(scene: FaultScene, pool?: string): Promise<Visit> {
  const visit = await scene.visit();
  await openPayment(visit, pool);
  await visit.click("Test wallet");
  await visit.page.waitForFunction(isPayOffered);
  return visit;
}

/** Requests a payment from the wallet. */
export async function pay(scene: FaultScene, visit: Visit, conduct: WalletConduct): Promise<void> {
  scene.conduct = () => conduct;
  await visit.click("Pay with");
}

/** Pays again. The app offers this only when the first request can no longer be paid. */
export async function payAgain(scene: FaultScene, visit: Visit): Promise<void> {
  assert.equal(await payButton(visit), null, "the first request may still be paid");
  advanceChain(scene);
  await visit.page.waitForFunction(isPayOffered);
  await pay(scene, visit, "signs");
}

/** Requests a payment. The wallet answers when the returned function is called. */
export async function payLater(
  scene: FaultScene,
  visit: Visit,
): Promise<(conduct: WalletConduct) => void> {
  const answer = Promise.withResolvers<WalletConduct>();
  scene.conduct = () => answer.promise;
  await visit.click("Pay with");
  await waitForText(visit, "Confirm it in Test wallet");
  return answer.resolve;
}

function isPayOffered(): boolean {
  return [...document.querySelectorAll("button")].some((each) => each.innerText.startsWith("Pay with"));
}

export const payButton = ({ page }: Visit) =>
  page.evaluateHandle(() =>
    [...document.querySelectorAll("button")].find((each) => each.innerText.startsWith("Pay with")) ?? null
  ).then((found) => found.asElement());

export async function waitForText({ page }: Pick<Visit, "page">, text: string): Promise<void> {
  const options = { timeout: SETTLEMENT_TIMEOUT_MS };
  try {
    await page.waitForFunction((text) => document.body.innerText.includes(text), options, text);
  } catch (cause) {
    const shown = await page.evaluate(() => document.body.innerText);
    throw new Error(`the page does not show "${text}", but: ${shown}`, { cause });
  }
}

export async function waitForNotice(visit: Visit, expected: RegExp): Promise<void> {
  await waitUntil(
    `a notice says ${expected}`,
    async () => (await visit.notices()).some((each) => expected.test(each)),
  );
}

/** Makes the app see a chain whose clock is ahead, so that the request has expired. */
export function advanceChain({ gates: { deposit } }: FaultScene): void {
  deposit.alter = (_path, json) => {
    if (json.result?.sync_utime) json.result.sync_utime += AFTER_EXPIRY_SECONDS;
    return json;
  };
}
