/// <reference lib="dom" />
/** The steps of a depositor who settles that several tests use. The scene's relayer must not settle. */
import assert from "node:assert/strict";
import { connect } from "../../../../src/ton/endpoint/toncenter.ts";
import type { SettlementEvent } from "../../../../src/ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../../../src/ton/pool/history/scan.ts";
import { V2Pool } from "../../../../src/ton/pool/v2/pool.ts";
import type { FaultScene, Visit, VisitOptions } from "../fault_scene.ts";
import type { Journey } from "../journey.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS } from "./money_steps.ts";
import { passTime, shiftAfterMark } from "../shifted_clock.ts";
import { waitForText } from "./payment_steps.ts";

/** The app offers a settlement of a deposit that waits for half an hour. */
export const OVERDUE_SECONDS = 31 * 60;

/**
 * Asks the endpoint of {@linkcode passHalfAnHour}. A deposit of the last hour is followed by the other one, whose first
 * answer adds a line above the button.
 */
export async function checkNotes(tab: Journey): Promise<void> {
  await tab.page.waitForFunction(() => document.querySelector("li.note:not(.checking)"));
  await tab.click("Check the notes");
}

/** Deposits in a new profile, and returns when the note offers to settle. */
export async function unsettledVisit(scene: FaultScene, pool = "native-10-v2"): Promise<Visit> {
  passHalfAnHour(scene);
  const visit = await waitingVisit(scene, pool, {
    prepare: (page) => page.evaluateOnNewDocument(shiftAfterMark, OVERDUE_SECONDS * 1000),
  });
  await passTime(visit.page);
  await visit.reopen();
  await checkNotes(visit);
  await waitForText(visit, "Settle it yourself");
  return visit;
}

/** The endpoint that checks the notes is ahead of the chain until the end of the case. */
export function passHalfAnHour({ gates: { withdrawal } }: FaultScene): void {
  withdrawal.alter = (_path, json) => {
    if (json.result?.sync_utime) json.result.sync_utime += OVERDUE_SECONDS;
    return json;
  };
}

/** Deposits in a new profile, and returns when the note waits for its settlement. */
export async function waitingVisit(
  scene: FaultScene,
  pool = "native-10-v2",
  options: VisitOptions = {},
): Promise<Visit> {
  const visit = await scene.visit(options);
  await openPayment(visit, pool);
  await visit.click("Test wallet");
  await visit.click("Pay with");
  await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
  await visit.click("Show my notes");
  await visit.step("notes");
  return visit;
}

export async function openOffer(visit: Journey): Promise<void> {
  await visit.click("Settle it yourself");
  await visit.page.waitForSelector('[data-step="settle"]');
}

/** Connects the wallet that settles. */
export async function chooseSettler(visit: Journey): Promise<void> {
  await visit.click("Test wallet");
  await waitForText(visit, "Settle with");
}

export async function settle(visit: Journey): Promise<void> {
  await chooseSettler(visit);
  await visit.click("Settle with");
}

export async function showReadyNote(visit: Journey): Promise<void> {
  await visit.click("Show my notes");
  await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
  assert.deepEqual(visit.violations, []);
  await visit.page.close();
}

export function poolOf({ indexer, deployments }: FaultScene, key: string): V2Pool {
  const chain = connect({ network: "localnet", endpoint: indexer });
  return new V2Pool(chain, deployments.pools.get(key)!.address);
}

/** Returns the pool's settlements, newest first. */
export async function settlementsOf(scene: FaultScene, key: string): Promise<SettlementEvent[]> {
  const { chain, address } = poolOf(scene, key);
  const found: SettlementEvent[] = [];
  for await (const { events } of scanPoolTransactions(chain, address)) {
    found.push(...events.filter((event) => event.kind === "settlement"));
  }
  return found.reverse();
}
