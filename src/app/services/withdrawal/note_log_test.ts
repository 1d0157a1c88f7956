import { deepEqual } from "node:assert/strict";
import { openTestSession } from "../../../../tests/support/vaults/test_vaults.ts";
import { createNoteRecord, type WithdrawalAttempt } from "../../../client/notes/note_store.ts";
import { createNote, formatNote, placeNote } from "../../../core/protocol/note.ts";
import { relayersWithProof } from "./note_log.ts";

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
