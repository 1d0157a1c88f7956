/** The steps of deposits and withdrawals that several tests use. */
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import type { Journey } from "../journey.ts";

const POOL = "native-10-v2";
/** The timeout for a settlement of the network, and for a proof. */
export const SETTLEMENT_TIMEOUT_MS = 120_000;

/** Chooses an amount. The store's backup must be proven. */
export async function chooseAmount(journey: Journey, pool = POOL): Promise<void> {
  await journey.click("Deposit");
  await journey.step("amount");
  await journey.page.click(`input[value="${pool}"]`);
  await journey.click("Continue");
}

export async function openPayment(journey: Journey, pool?: string): Promise<void> {
  await chooseAmount(journey, pool);
  await journey.step("pay-");
}

export function newRecipient(): Address {
  return new Address(0, crypto.getRandomValues(Buffer.alloc(32)));
}

/** Types the recipient of the first note that can be withdrawn. */
export async function enterRecipient(journey: Journey, recipient = newRecipient()): Promise<Address> {
  const button = await journey.page.waitForSelector("li.note.deposited button", {
    timeout: SETTLEMENT_TIMEOUT_MS,
  });
  await button!.click();
  await journey.step("recipient");
  await journey.type("recipient", formatRecipient(recipient));
  await journey.click("Continue");
  return recipient;
}

export function formatRecipient(recipient: Address): string {
  return recipient.toString({ testOnly: true, bounceable: false });
}

/** Accepts the warnings of the review, and starts the withdrawal. */
export async function confirmWithdrawal(journey: Journey): Promise<void> {
  await journey.step("review");
  await journey.page.click("#accept");
  await journey.page.click("button.primary");
}

/** Starts a withdrawal. */
export async function withdraw(journey: Journey, recipient = newRecipient()): Promise<Address> {
  await enterRecipient(journey, recipient);
  await confirmWithdrawal(journey);
  return recipient;
}

/** Goes from the receipt of a withdrawal to a report, and types its purpose. */
export async function openReport(journey: Journey): Promise<void> {
  await journey.click("Done");
  await journey.step("notes");
  await journey.click("Report");
  await journey.step("report");
  await journey.click("Make a report");
  await journey.step("purpose");
  await journey.type("purpose", "Example Bank, account opening");
}
