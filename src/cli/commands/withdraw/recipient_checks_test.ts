import { deepEqual, doesNotThrow, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { NoteRecord } from "../../../client/notes/note_store.ts";
import { findLinkWarnings, resolveRecipient } from "./recipient_checks.ts";

const recipient = new Address(0, Buffer.alloc(32, 1));
const depositor = new Address(0, Buffer.alloc(32, 2));
const DAY_MS = 86_400_000;
const DEPOSITED_AT = 1_700_000_000;

const noteOf = (asset: string, leafIndex: number) => ({
  ...{ asset, amount: "1", network: "testnet", version: 1 },
  commitment: BigInt(100 + leafIndex),
});

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
    chainAgeMs?: number;
    /** Other notes of the store, which are in the same pool. */
    others?: readonly { id: string; withdrawal?: { recipient: string }; deposit?: { leafIndex: number } }[];
  },
): Promise<string[]> {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: leaves }, (_, i) => BigInt(100 + i)));
  const { asset = "native", chainAgeMs = ageMs } = change;
  const run = {
    chainTime: DEPOSITED_AT + chainAgeMs / 1000,
    note: noteOf(asset, leafIndex),
    context: { now: () => DEPOSITED_AT * 1000 + ageMs },
    chain: { account: () => Promise.resolve(account) },
    deployment: { asset, amount: "1" },
    store: {
      list: () =>
        Promise.resolve(others.map((other) => ({ ...other, note: { reveal: () => noteOf(asset, 0) } }))),
    },
    record: {
      id: "own",
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

Deno.test("only deposits of others after a note's own count as later", async () => {
  const own = (leafIndex: number) => ({ id: String(leafIndex), deposit: { leafIndex } });
  deepEqual(await warningsOf({ leafIndex: 1, leaves: 12, others: [own(0)] }), ["recipient_unchecked"]);
  deepEqual(await warningsOf({ leafIndex: 1, leaves: 12, others: [own(2)] }), [
    "recipient_unchecked",
    "few_deposits",
  ]);
});

Deno.test("a deposit is a day old only if both the chain and the device say so", async () => {
  const at = { leafIndex: 0, leaves: 20 };
  deepEqual(await warningsOf({ ...at, chainAgeMs: DAY_MS - 1000 }), ["recipient_unchecked", "soon"]);
  deepEqual(await warningsOf({ ...at, ageMs: DAY_MS - 1000, chainAgeMs: 2 * DAY_MS }), [
    "recipient_unchecked",
    "soon",
  ]);
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

Deno.test("an empty recipient of jettons is warned about unless a relayer's refund pays its first transfer", async () => {
  const empty = {
    leafIndex: 0,
    leaves: 20,
    asset: "jetton",
    account: { balance: 0n, state: "uninitialized" },
  };
  deepEqual(await warningsOf(empty), ["no_gas"]);
  deepEqual(await warningsOf({ ...empty, refund: "0.049999999" }), ["no_gas"]);
  deepEqual(await warningsOf({ ...empty, refund: "0.05" }), []);
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
