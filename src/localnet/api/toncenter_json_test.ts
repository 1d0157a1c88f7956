import { equal } from "node:assert/strict";
import { type Account, Address, beginCell, type Cell, comment } from "@ton/core";
import { internalMessage, transactionOf } from "../../../testkit/simulation/transactions.ts";
import type { AccountRecord, Block, StoredTransaction } from "../ledger.ts";
import { accountJson, transactionJson } from "./toncenter_json.ts";

const [account, sender] = ["11", "22"].map((byte) => Address.parse(`0:${byte.repeat(32)}`));

/** Returns the text that the API shows of an incoming message. */
function shownText(body: Cell): string | undefined {
  const now = 1_700_000_000;
  const inMessage = internalMessage({ src: sender, dest: account, value: 1n, lt: 1n, now, body });
  const { id, raw } = transactionOf({
    account,
    lt: 2n,
    prev: null,
    now,
    inMessage,
    outMessages: [],
    exitCode: 0,
  });
  const stored = { lt: id.lt, hash: raw.hash(), boc: raw.raw.toBoc().toString("base64") };
  return transactionJson(account, stored as StoredTransaction).in_msg?.message;
}

Deno.test("the text of a message is its comment, and empty for any other body", () => {
  equal(shownText(comment("for the rent")), "for the rent");
  const other = beginCell().storeUint(1, 32).storeStringTail("for the rent").endCell();
  for (const body of [other, beginCell().storeUint(0, 31).endCell()]) equal(shownText(body), "");
});

Deno.test("a frozen account is shown with the hash of its state in base64", () => {
  const hash = `00${"ab".repeat(31)}`;
  const state = { type: "frozen", stateHash: BigInt(`0x${hash}`) };
  const frozen = { storage: { balance: { coins: 5n }, state } } as unknown as Account;
  const head = { seqno: 1, now: 7 } as Block;
  const shown = accountJson({ account: frozen, transactions: [] } as unknown as AccountRecord, head);
  equal(shown.state, "frozen");
  equal(shown.frozen_hash, Buffer.from(hash, "hex").toString("base64"));
});
