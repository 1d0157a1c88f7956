/** Stored notes that are to be paid: their pool is verified, and a proven backup must bring them back. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { contractAddress } from "@ton/core";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import type { Deployment, Deployments } from "../../core/protocol/deployments.ts";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { createNoteSeed, deriveNote } from "../../core/protocol/seed/note_seed.ts";
import { loadPoolCode, v2NativePoolInit } from "../../ton/pool/state_init.ts";
import { openTestSession } from "../../../tests/support/vaults/test_vaults.ts";
import { proofOf } from "../vault/backup_proof.ts";
import { toBackupProof } from "./backups/backup_coverage.ts";
import type { AppContext } from "./context.ts";
import { vaultPools } from "./note_book.ts";
import { depositServices } from "./deposit_service.ts";

const parameters = { denomination: 1_000_000_000n, owner: null, version: 2 } as const;
const init = v2NativePoolInit(parameters);
const genuine: Deployment = {
  ...loadPoolCode("native2"),
  ...parameters,
  asset: "native",
  amount: "1",
  deployedSeqno: 1,
  address: contractAddress(0, init),
};
const seed = createNoteSeed();
const derived = createNoteRecord(formatNote(deriveNote(seed, "testnet", genuine, 0)), 1);
const restored = createNoteRecord(
  formatNote(createNote({ asset: "native", amount: "1", network: "testnet", version: 2 })),
  1,
);

interface Visit {
  readonly deployment?: Deployment;
  readonly code?: typeof init.code;
  /** The notes in the backup that was proven last; undefined after the passphrase was changed. */
  readonly backup?: readonly NoteRecord[] | undefined;
}

/** Continues with a stored note. Returns the result, and the note's state afterwards. */
async function openNote(id: string, { deployment = genuine, code = init.code, backup }: Visit) {
  const session = await openTestSession({ seed, records: [derived, restored] });
  const registry = {
    network: "testnet",
    pools: new Map([["native-1-v2", deployment]]),
  } as unknown as Deployments;
  const context = {
    registry,
    connections: () => ({ depositEndpoint: "https://chain.example" }),
    connect: () => ({ account: () => Promise.resolve({ code }) }),
  } as unknown as AppContext;
  const proof = backup && toBackupProof(proofOf({ seed, records: backup }, vaultPools(registry)));
  const services = depositServices(context, session, () => ({ ...proof }));
  const stateOf = async () => (await session.store.list()).find((record) => record.id === id)?.state;
  return { opened: services.open(id), stateOf };
}

Deno.test("a stored note of a retired pool, or of a contract that is not this build's pool, is not paid", async () => {
  const { code: otherCode } = loadPoolCode("native");
  const cases = [
    ["pool_retired", { deployment: { ...genuine, retired: true } }],
    ["wrong_pool", { deployment: { ...genuine, denomination: 2n } }],
    ["wrong_pool", { code: otherCode }],
  ] as const;
  for (const [code, visit] of cases) {
    const { opened, stateOf } = await openNote(derived.id, { ...visit, backup: [] });
    await rejects(opened, { code });
    equal(await stateOf(), "created");
  }
});

Deno.test("a stored note is ready to be paid only if a proven backup has its seed, or the note itself", async () => {
  const cases = [
    [derived, undefined, "missing"],
    [derived, [], "proven"],
    [restored, undefined, "missing"],
    [restored, [], "file_missing"],
    [restored, [restored], "proven"],
  ] as const;
  for (const [{ id }, backup, expected] of cases) {
    const { opened, stateOf } = await openNote(id, { backup });
    const { ticket, ...found } = await opened;
    deepEqual(found, { backup: expected, wasRequested: false });
    equal(ticket.payment?.message.to.equals(genuine.address), true);
    equal(await stateOf(), expected === "proven" ? "depositing" : "created");
  }
});
