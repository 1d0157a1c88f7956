/** Resumed withdrawals: whether an earlier proof may still be paid, so that the recipient must stay the same. */
import { deepEqual } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { createNoteRecord, type WithdrawalAttempt } from "../../client/notes/note_store.ts";
import type { Deployments } from "../../core/protocol/deployments.ts";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { AppContext, Session } from "./context.ts";
import { withdrawServices } from "./withdraw_service.ts";

const address = new Address(0, Buffer.alloc(32, 1));
const note = createNote({ asset: "native", amount: "1", network: "testnet" });
const attemptWith = (root: bigint) =>
  ({
    ...{ relayer: "https://relayer.example", recipient: address.toRawString(), fee: "1", refund: "0", at: 1 },
    request: { proof: {}, publicSignals: [String(root), String(note.nullifierHash)] },
  }) as unknown as WithdrawalAttempt;

/** Follows a withdrawal that the relayer reports as failed, of a pool that accepts only the root 7. */
async function resume(withdrawal: WithdrawalAttempt, earlier: readonly WithdrawalAttempt[] = []) {
  const record = { ...createNoteRecord(formatNote(note), 1), state: "withdrawing", withdrawal, earlier };
  const roots = Array.from({ length: ROOT_HISTORY_SIZE }, (_, i): TupleItem => ({
    type: "int",
    value: i === 0 ? 7n : 0n,
  }));
  const isUnspent: TupleItem = { type: "int", value: 0n };
  const chain = {
    runGetMethod: (_pool: Address, method: string) =>
      Promise.resolve(
        new TupleReader([method === "get_root_history" ? { type: "tuple", items: roots } : isUnspent]),
      ),
  };
  const pools = new Map([["native-1", { asset: "native", amount: "1", address }]]);
  const context = {
    registry: { network: "testnet", pools } as unknown as Deployments,
    connections: () => ({ withdrawalEndpoint: "https://chain.example" }),
    connect: () => chain,
    pollIntervalMs: 1,
  } as unknown as AppContext;
  const free = { [Symbol.dispose]() {} };
  const store = { list: () => Promise.resolve([record]), lockForWork: () => Promise.resolve(free) };
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(Response.json({ state: "failed" }));
  try {
    const services = withdrawServices(context, { store } as unknown as Session);
    return await services.resume(record.id, new AbortController().signal, () => {});
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("a failed withdrawal keeps its recipient until the pool accepts the root of no earlier proof", async () => {
  const [known, old] = [attemptWith(7n), attemptWith(6n)];
  deepEqual(await resume(known), { type: "prove_again", isSubmitted: true });
  deepEqual(await resume(old, [known]), { type: "prove_again", isSubmitted: true });
  deepEqual(await resume(old, [old]), { type: "prove_again", isSubmitted: false });
});
