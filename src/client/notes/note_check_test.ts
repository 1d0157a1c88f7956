import { deepEqual, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
} from "../../../testkit/simulation/forged_history.ts";
import { settlementLog } from "../../../testkit/simulation/transactions.ts";
import { createNote, type Note, placeNote, toNoteHashes } from "../../core/protocol/note.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { checkNotes, PoolHistoryReader, readPoolHistory } from "./note_check.ts";

const pool = new Address(0, Buffer.alloc(32, 7));
const note = (commitment: bigint, nullifierHash: bigint) => ({ commitment, nullifierHash }) as Note;
const notes = [note(11n, 21n), note(12n, 22n), note(13n, 23n)];

const logs = [
  forgeDepositLog(12n, 0, 5),
  forgeWithdrawalLog({ nullifierHash: 22n, fee: 1n, refund: 0n }),
  forgeDepositLog(11n, 1, 6),
];

function history(logs: readonly ReturnType<typeof forgeDepositLog>[]): ChainTransaction[] {
  const made: ChainTransaction[] = [];
  const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: 1_700_000_000 } as ChainTransaction;
  for (const log of logs) {
    const next = forgeTransaction(pool, made.at(-1) ?? genesis, log);
    made.push(made.length === 0 ? { ...next, prev: null } : next);
  }
  return made;
}

function endpointOf(transactions: readonly ChainTransaction[], ...roots: bigint[]): Chain {
  const newestFirst = transactions.toReversed();
  const items = Array.from(
    { length: ROOT_HISTORY_SIZE },
    (_, i): TupleItem => ({ type: "int", value: roots[i] ?? 0n }),
  );
  return {
    account: () => Promise.resolve({ last: newestFirst[0].id }),
    transactions: (_address: Address, { from, limit }: { from?: { hash: string }; limit: number }) => {
      const start = newestFirst.findIndex(({ id }) => id.hash === from?.hash);
      return Promise.resolve(newestFirst.slice(start, start + limit));
    },
    runGetMethod: () => Promise.resolve(new TupleReader([{ type: "tuple", items }])),
  } as unknown as Chain;
}

const tree = new MerkleTree();
tree.appendMany([12n, 11n]);

Deno.test("notes are found in the history, with what happened after them", async () => {
  const found = await checkNotes(endpointOf(history(logs), 9n, tree.root), pool, notes);
  deepEqual(
    found.map(({ state, leafIndex, deposits, since, withdrawalsSince }) => [
      ...[state, leafIndex, deposits, since, withdrawalsSince],
    ]),
    [["deposited", 1, 2, 0, 0], ["withdrawn", 0, 2, 1, 1], ["absent", undefined, 2, 2, 0]],
  );
});

Deno.test("a history whose root the pool does not have is refused, be it invented or incomplete", async () => {
  const unknown = { code: "unknown_root" };
  await rejects(checkNotes(endpointOf(history(logs), 9n), pool, notes), unknown);
  await rejects(checkNotes(endpointOf(history(logs).slice(0, 2), 9n, tree.root), pool, notes), unknown);
});

Deno.test("a note that was paid twice is deposited until both deposits are withdrawn", async () => {
  const twice = createNote({ asset: "native", amount: "1", network: "localnet", version: 2 });
  const tree = new MerkleTree();
  tree.appendMany([twice.commitment, twice.commitment]);
  const paid = [forgeDepositLog(twice.commitment, 0, 5), forgeDepositLog(twice.commitment, 1, 6)];
  const spent = [0, 1].map((leafIndex) =>
    forgeWithdrawalLog({ nullifierHash: placeNote(twice, leafIndex).nullifierHash, fee: 1n, refund: 0n })
  );
  const settled = settlementLog(0, tree.root, 2, 7);
  const statusAfter = async (withdrawals: number) => {
    const transactions = history([...paid, settled, ...spent.slice(0, withdrawals)]);
    const past = await readPoolHistory(endpointOf(transactions, tree.root), pool, { version: 2 });
    const { state, leafIndex, unspentDeposits } = past.statusOf(toNoteHashes(twice));
    return [state, leafIndex, unspentDeposits];
  };
  deepEqual(await statusAfter(0), ["deposited", 0, 2]);
  deepEqual(await statusAfter(1), ["deposited", 1, 1]);
  deepEqual(await statusAfter(2), ["withdrawn", 1, 0]);
});

Deno.test("a reader of a history continues where it ended, and begins anew after a contradiction", async () => {
  const all = history([...logs, forgeWithdrawalLog({ nullifierHash: 21n, fee: 1n, refund: 0n })]);
  const first = new MerkleTree();
  first.appendMany([12n]);
  let now = { transactions: all.slice(0, 2), root: first.root };
  const asked: number[] = [];
  const chain = {
    account: () => endpointOf(now.transactions, now.root).account(pool),
    transactions(address: Address, options: Parameters<Chain["transactions"]>[1]) {
      asked.push(now.transactions.length);
      return endpointOf(now.transactions, now.root).transactions(address, options);
    },
    runGetMethod: (address: Address, method: string) =>
      endpointOf(now.transactions, now.root).runGetMethod(address, method),
  } as unknown as Chain;
  const reader = new PoolHistoryReader(chain, pool);
  const stateOf = async (note: Note) => (await reader.read()).statusOf(toNoteHashes(note)).state;
  deepEqual(await stateOf(notes[0]), "absent");
  now = { transactions: all, root: tree.root };
  deepEqual(await stateOf(notes[0]), "withdrawn");
  deepEqual(await stateOf(notes[1]), "withdrawn");
  const seen = asked.length;
  await reader.read();
  deepEqual(asked.length, seen, "there is nothing new to read");
  now = { transactions: all, root: 9n };
  await rejects(reader.read(), { code: "unknown_root" });
  now = { transactions: all, root: tree.root };
  deepEqual(await stateOf(notes[0]), "withdrawn");
  deepEqual(asked.length, seen + 1, "the whole history was read again");
});

Deno.test("two reads at once add each deposit once", async () => {
  const reader = new PoolHistoryReader(endpointOf(history(logs), tree.root), pool);
  const found = await Promise.all([reader.read(), reader.read()]);
  deepEqual(found.map(({ statusOf }) => statusOf(toNoteHashes(notes[0])).deposits), [2, 2]);
});
