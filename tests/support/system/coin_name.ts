/** What people read: the coin is Gram. */
import assert from "node:assert/strict";

const TICKER = "(?:TON|Toncoins?)\\b(?! Connect| Center)";
/** White space of every kind, marks of emphasis, and none. */
const GAP = "(?:\\s|&nbsp;|&#160;|&#xa0;|[*_`-])*";
/** A number, or what a template puts in its place: `${amount}`, `{amount}`, `<amount>`, `%s`. */
const AMOUNT_END = "(?:\\d|\\}|>|%[sd])";
const AMOUNT_START = "(?:\\d|\\$?\\{|<[a-z]|%[sd])";
/** An amount with the ticker that the coin had until June 2026. */
const FORMER_TICKER = new RegExp(`${AMOUNT_END}${GAP}${TICKER}|\\b${TICKER}${GAP}${AMOUNT_START}`);

/** Fails if a text, or the template of one, names an amount of the coin in its former ticker. */
export function assertNamesGram(text: string, where: string): void {
  const [found] = FORMER_TICKER.exec(text) ?? [];
  assert.equal(found, undefined, `${where} has an amount in the coin's former ticker`);
}
