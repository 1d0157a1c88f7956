import { deepEqual, equal } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { countLaterStrangers } from "./later_deposits.ts";
import { findLinkability } from "./linkability_warnings.ts";
import { JETTON_REFUND_NANO, toLinkabilityFacts, type WithdrawalFacts } from "./withdrawal_facts.ts";

const DAY = 86_400;
const recipient = new Address(0, Buffer.alloc(32, 1));
const quiet: WithdrawalFacts = {
  deposit: {
    leafIndex: 0,
    timestamp: 1_800_000_000,
    from: new Address(0, Buffer.alloc(32, 2)).toRawString(),
  },
  later: 10,
  recipient,
  recipientReused: false,
  account: { balance: 0n, state: "uninitialized" },
  assetKind: "jetton",
  refund: JETTON_REFUND_NANO,
  pathFromRelayer: false,
  selfRelayed: false,
  sameEndpoint: false,
  now: (1_800_000_000 + DAY) * 1000,
};
const { deposit, account } = quiet;
const codes = (facts: Partial<WithdrawalFacts>) =>
  findLinkability(toLinkabilityFacts({ ...quiet, ...facts }));

Deno.test("a day-old note that goes to a new address through its own endpoint has no warning", () => {
  deepEqual(codes({}), []);
});

Deno.test("an address without coins is warned about unless the relayer's refund pays its first transfer", () => {
  deepEqual(codes({ refund: JETTON_REFUND_NANO - 1n }), ["no_gas"]);
  deepEqual(codes({ refund: 0n }), ["no_gas"]);
  deepEqual(codes({ assetKind: "native", refund: 0n }), []);
  deepEqual(codes({ account: { ...account!, balance: 1n }, refund: 0n }), ["recipient_used"]);
});

const cases: readonly [facts: Partial<WithdrawalFacts>, code: string][] = [
  [{ sameEndpoint: true }, "same_endpoint"],
  [{ later: 9 }, "few_deposits"],
  [{ now: quiet.now - 1000 }, "soon"],
  [{ deposit: undefined }, "unknown_deposit"],
  [{ logged: { ...deposit!, timestamp: deposit!.timestamp! + 1 } }, "soon"],
  [{ deposit: { ...deposit!, from: recipient.toRawString() } }, "own_wallet"],
  [{ logged: { ...deposit!, from: recipient.toRawString() } }, "own_wallet"],
  [{ recipientReused: true }, "recipient_reused"],
  [{ account: { ...account!, state: "frozen" } }, "recipient_used"],
  [{ account: undefined }, "recipient_unchecked"],
  [{ account: { ...account!, code: beginCell().endCell() } }, "contract"],
];
for (const [facts, code] of cases) {
  Deno.test(`a withdrawal is warned about ${code}: ${Object.keys(facts)}`, () =>
    deepEqual(codes(facts), [code]));
}

Deno.test("a journal with an earlier time than the log, or a log with an earlier one, hides no young deposit", () => {
  const young = { ...deposit!, timestamp: deposit!.timestamp! + 1 };
  deepEqual(codes({ deposit: young, logged: deposit! }), ["soon"]);
  deepEqual(codes({ deposit: deposit!, logged: deposit! }), []);
});

Deno.test("only deposits of others after a note's own count as later", () => {
  equal(countLaterStrangers(4, 1, [1, 2]), 1);
  equal(countLaterStrangers(4, 0, []), 3);
  equal(countLaterStrangers(1, 5, []), 0, "the endpoint is behind");
});
