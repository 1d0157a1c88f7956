import { deepEqual } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { findWarnings, JETTON_REFUND_NANO, type WithdrawalFacts } from "./withdrawal_warnings.ts";

const DAY = 86_400;
const recipient = new Address(0, Buffer.alloc(32, 1));
const quiet: WithdrawalFacts = {
  deposit: {
    leafIndex: 0,
    timestamp: 1_800_000_000,
    from: new Address(0, Buffer.alloc(32, 2)).toRawString(),
  },
  treeSize: 11,
  recipient,
  account: { balance: 0n, state: "uninitialized" },
  isJetton: true,
  isEndpointShared: false,
  now: (1_800_000_000 + DAY) * 1000,
  ownLater: 0,
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
  [{ treeSize: 10 }, "few_deposits"],
  [{ ownLater: 1 }, "few_deposits"],
  [{ now: quiet.now - 1000 }, "soon"],
  [{ deposit: undefined }, "unknown_deposit"],
  [{ deposit: { ...deposit!, from: recipient.toRawString() } }, "own_wallet"],
  [{ account: { ...account, state: "frozen" } }, "recipient_used"],
  [{ account: { ...account, code: beginCell().endCell() } }, "contract"],
];
for (const [facts, code] of cases) {
  Deno.test(`the review warns about ${code}: ${Object.keys(facts)}`, () => deepEqual(codes(facts), [code]));
}

Deno.test("the warning about few later deposits has their number", () => {
  deepEqual(findWarnings({ ...quiet, treeSize: 4 }, JETTON_REFUND_NANO), [{
    code: "few_deposits",
    count: 3,
  }]);
});
