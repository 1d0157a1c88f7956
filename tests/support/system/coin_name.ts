/** What people read: the coin is Gram. */
import assert from "node:assert/strict";

/** An amount with the ticker that the coin had until June 2026. */
const FORMER_TICKER = /\d\s*(?:TON|Toncoin)\b(?! Connect| Center)/;

/** Fails if a rendered text names an amount of the coin in its former ticker. */
export function assertNamesGram(text: string, where: string): void {
  const [found] = FORMER_TICKER.exec(text) ?? [];
  assert.equal(found, undefined, `${where} has an amount in the coin's former ticker`);
}
