import { deepEqual, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
} from "../../../testkit/simulation/forged_history.ts";
import type { Note } from "../../core/protocol/note.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { checkNotes } from "./note_check.ts";

const pool = new Address(0, Buffer.alloc(32, 7));
const note = (commitment: bigint, nullifierHash: bigint) => ({ commitment, nullifierHash }) as Note;
const notes = [note(11n, 21n), note(12n, 22n), note(13n, 23n)];

function history(): ChainTransaction[] {
  const made: ChainTransaction[] = [];
  const logs = [
    forgeDepositLog(12n, 0, 5),
    forgeWithdrawalLog({ nullifierHash: 22n, fee: 1n, refund: 0n }),
    forgeDepositLog(11n, 1, 6),
  ];
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
  const found = await checkNotes(endpointOf(history(), 9n, tree.root), pool, notes);
  deepEqual(
    found.map(({ state, leafIndex, deposits, since, withdrawalsSince }) => [
      ...[state, leafIndex, deposits, since, withdrawalsSince],
    ]),
    [["deposited", 1, 2, 0, 0], ["withdrawn", 0, 2, 1, 1], ["absent", undefined, 2, 2, 0]],
  );
});

Deno.test("a history whose root the pool does not have is refused, be it invented or incomplete", async () => {
  const unknown = { code: "unknown_root" };
  await rejects(checkNotes(endpointOf(history(), 9n), pool, notes), unknown);
  await rejects(checkNotes(endpointOf(history().slice(0, 2), 9n, tree.root), pool, notes), unknown);
});
