import { deepEqual, doesNotThrow, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { NoteRecord } from "../../../client/notes/note_store.ts";
import { findLinkWarnings, resolveRecipient } from "./recipient_checks.ts";

const recipient = new Address(0, Buffer.alloc(32, 1));
const depositor = new Address(0, Buffer.alloc(32, 2));
const DAY_MS = 86_400_000;
const DEPOSITED_AT = 1_700_000_000;

async function warningsOf(
  { leafIndex, leaves, ageMs = 2 * DAY_MS, to = recipient, account, others = [], ...change }: {
    leafIndex: number;
    leaves: number;
    ageMs?: number;
    to?: Address;
    asset?: string;
    refund?: string;
    self?: boolean;
    account?: { balance: bigint; state: string };
    others?: readonly { id: string; withdrawal: { recipient: string } }[];
  },
): Promise<string[]> {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: leaves }, (_, i) => BigInt(100 + i)));
  const run = {
    context: { now: () => DEPOSITED_AT * 1000 + ageMs },
    chain: { account: () => Promise.resolve(account) },
    deployment: { asset: change.asset ?? "native" },
    store: { list: () => Promise.resolve(others) },
    record: {
      id: "own",
      note: { reveal: () => ({ commitment: BigInt(100 + leafIndex) }) },
      deposit: { timestamp: DEPOSITED_AT, from: depositor.toRawString() },
    },
    recipient: to,
    options: {
      recipientCheck: account !== undefined,
      refund: change.refund ?? "0",
      self: change.self ?? false,
    },
  } as unknown as Parameters<typeof findLinkWarnings>[0];
  return (await findLinkWarnings(run, tree)).map(({ name }) => name);
}

Deno.test("a note is warned about until ten deposits came after it", async () => {
  deepEqual(await warningsOf({ leafIndex: 0, leaves: 11 }), ["recipient_unchecked"]);
  deepEqual(await warningsOf({ leafIndex: 0, leaves: 10 }), ["recipient_unchecked", "few_deposits"]);
  deepEqual(await warningsOf({ leafIndex: 10, leaves: 11 }), ["recipient_unchecked", "few_deposits"]);
});

Deno.test("a note is warned about for a day after its deposit, and if it pays its depositor", async () => {
  const at = { leafIndex: 0, leaves: 20 };
  deepEqual(await warningsOf({ ...at, ageMs: DAY_MS }), ["recipient_unchecked"]);
  deepEqual(await warningsOf({ ...at, ageMs: DAY_MS - 1 }), ["recipient_unchecked", "soon"]);
  deepEqual(await warningsOf({ ...at, to: depositor }), ["own_wallet", "recipient_unchecked"]);
});

Deno.test("a recipient is warned about if another note was sent to it", async () => {
  const at = { leafIndex: 0, leaves: 20 };
  const sent = (id: string, to: Address) => ({ id, withdrawal: { recipient: to.toRawString() } });
  deepEqual(await warningsOf({ ...at, others: [sent("other", recipient)] }), [
    "recipient_reused",
    "recipient_unchecked",
  ]);
  deepEqual(await warningsOf({ ...at, others: [sent("other", depositor), sent("own", recipient)] }), [
    "recipient_unchecked",
  ]);
});

Deno.test("an empty recipient of jettons is warned about unless a relayer pays it a refund", async () => {
  const empty = {
    leafIndex: 0,
    leaves: 20,
    asset: "jetton",
    account: { balance: 0n, state: "uninitialized" },
  };
  deepEqual(await warningsOf(empty), ["no_gas"]);
  deepEqual(await warningsOf({ ...empty, refund: "0.1" }), []);
  deepEqual(await warningsOf({ ...empty, refund: "0.1", self: true }), [
    "no_gas",
    "self",
  ]);
});

Deno.test("a recipient in a workchain that the pool does not pay is refused before anything is asked", () => {
  const record = { state: "deposited" } as NoteRecord;
  const cases = [["native", 0, true], ["native", -1, true], ["native", 5, false], [
    "jetton",
    -1,
    false,
  ]] as const;
  for (const [asset, workchain, isPayable] of cases) {
    const to = new Address(workchain, Buffer.alloc(32, 9));
    const resolve = () => resolveRecipient(record, { to }, { asset, blocked: [] });
    if (isPayable) doesNotThrow(resolve);
    else throws(resolve, { code: "invalid_address" });
  }
});
