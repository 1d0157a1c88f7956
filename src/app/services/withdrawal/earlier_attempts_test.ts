import { deepEqual } from "node:assert/strict";
import { Address } from "@ton/core";
import { openTestSession } from "../../../../tests/support/vaults/test_vaults.ts";
import { createNoteRecord, type WithdrawalAttempt } from "../../../client/notes/note_store.ts";
import { createNote, formatNote, placeNote } from "../../../core/protocol/note.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { findUnderway, relayersWithProof } from "./earlier_attempts.ts";

Deno.test("a relayer that got a proof for another deposit of the note can still withdraw this one", async () => {
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
  const attemptAt = (leafIndex: number, relayer: string): WithdrawalAttempt => ({
    relayer,
    recipient: `0:${"22".repeat(32)}`,
    fee: "0",
    refund: "0",
    at: 1,
    request: {
      proof: { pi_a: [], pi_b: [], pi_c: [], protocol: "groth16", curve: "bls12381" },
      publicSignals: ["1", String(placeNote(note, leafIndex).nullifierHash)],
    },
  });
  const relayersFor = async (deposit?: { readonly leafIndex: number }) => {
    const session = await openTestSession({
      records: [{
        ...createNoteRecord(formatNote(note), 1),
        ...deposit && { deposit },
        earlier: [attemptAt(3, "https://a.example"), attemptAt(8, "https://b.example")],
        withdrawal: attemptAt(8, "https://c.example"),
      }],
    });
    const [record] = await session.store.list();
    return [...await relayersWithProof(session, record)];
  };
  deepEqual(await relayersFor({ leafIndex: 8 }), ["https://b.example", "https://c.example"]);
  deepEqual(await relayersFor({ leafIndex: 3 }), ["https://a.example"]);
  deepEqual(await relayersFor(), ["https://a.example", "https://b.example", "https://c.example"]);
});

Deno.test("a proof that the pool may still pay keeps the note from being sent to another recipient", async () => {
  const note = createNote({ asset: "native", amount: "1", network: "testnet", version: 2 });
  const [first, other] = [1, 2].map((byte) => new Address(0, Buffer.alloc(32, byte)));
  const attempt = (root: number, recipient: Address, leafIndex = 8): WithdrawalAttempt => ({
    recipient: recipient.toRawString(),
    fee: "0",
    refund: "0",
    at: 1,
    request: {
      proof: { pi_a: [], pi_b: [], pi_c: [], protocol: "groth16", curve: "bls12381" },
      publicSignals: [String(root), String(placeNote(note, leafIndex).nullifierHash)],
    },
  });
  const find = async (attempts: readonly WithdrawalAttempt[], chosen?: Address) => {
    const session = await openTestSession({
      records: [{
        ...createNoteRecord(formatNote(note), 1),
        state: "deposited", // also if the state says nothing of the attempts
        deposit: { leafIndex: 8 },
        earlier: attempts.slice(0, -1),
        ...attempts.length > 0 && { withdrawal: attempts.at(-1) },
      }],
    });
    const [record] = await session.store.list();
    const pool = { getRootHistory: () => Promise.resolve([7n]) } as unknown as AnyPool;
    return await findUnderway(session, { record, pool }, new AbortController().signal, chosen);
  };
  deepEqual(await find([]), undefined);
  deepEqual(await find([attempt(7, first)]), first.toRawString());
  deepEqual(await find([attempt(7, first), attempt(6, other)]), first.toRawString());
  deepEqual(await find([attempt(7, first)], other), first.toRawString());
  deepEqual(await find([attempt(7, first)], first), undefined);
  deepEqual(await find([attempt(6, first)]), undefined, "the pool no longer accepts its root");
  deepEqual(await find([attempt(7, first, 3)]), undefined, "it is for another deposit of the note");
});
