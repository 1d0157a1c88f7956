import { deepEqual, equal } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { countLaterStrangers } from "./later_deposits.ts";
import { findWarnings, JETTON_REFUND_NANO, type WithdrawalFacts } from "./withdrawal_warnings.ts";

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
  isRecipientReused: false,
  account: { balance: 0n, state: "uninitialized" },
  isJetton: true,
  isEndpointShared: false,
  now: (1_800_000_000 + DAY) * 1000,
};
const { deposit, account } = quiet;
const codes = (facts: Partial<WithdrawalFacts>, refund = JETTON_REFUND_NANO) =>
  findWarnings({ ...quiet, ...facts }, refund).map(({ code }) => code);

Deno.test("a day-old note that goes to a new address through its own endpoint has no warning", () => {
  deepEqual(codes({}), []);
});

Deno.test("an address without coins is warned about unless the relayer's refund pays its first transfer", () => {
  deepEqual(codes({}, JETTON_REFUND_NANO - 1n), ["no_gas"]);
  deepEqual(codes({}, 0n), ["no_gas"]);
  deepEqual(codes({ isJetton: false }, 0n), []);
  deepEqual(codes({ account: { ...account, balance: 1n } }, 0n), ["recipient_used"]);
});

const cases: readonly [facts: Partial<WithdrawalFacts>, code: string][] = [
  [{ isEndpointShared: true }, "same_endpoint"],
  [{ later: 9 }, "few_deposits"],
  [{ now: quiet.now - 1000 }, "soon"],
  [{ deposit: undefined }, "unknown_deposit"],
  [{ logged: { ...deposit!, timestamp: deposit!.timestamp! + 1 } }, "soon"],
  [{ deposit: { ...deposit!, from: recipient.toRawString() } }, "own_wallet"],
  [{ logged: { ...deposit!, from: recipient.toRawString() } }, "own_wallet"],
  [{ isRecipientReused: true }, "recipient_reused"],
  [{ account: { ...account, state: "frozen" } }, "recipient_used"],
  [{ account: { ...account, code: beginCell().endCell() } }, "contract"],
];
for (const [facts, code] of cases) {
  Deno.test(`the review warns about ${code}: ${Object.keys(facts)}`, () => deepEqual(codes(facts), [code]));
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

Deno.test("the warning about few later deposits has their number", () => {
  deepEqual(findWarnings({ ...quiet, later: 3 }, JETTON_REFUND_NANO), [{
    code: "few_deposits",
    count: 3,
  }]);
});
