/** What the vault shows of a store, and what it accepts. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { encryptContent, memoryFiles, testVaults } from "../../../tests/support/vaults/test_vaults.ts";
import { deriveNextNote } from "../../client/notes/derived_record.ts";
import { RECOVERY_GAP } from "../../client/notes/derived_notes.ts";
import { createIdentity, vaultOf } from "../../client/notes/note_encryption.ts";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { createNote, formatNote, placeNote } from "../../core/protocol/note.ts";
import { createNoteSeed, deriveNote, formatNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { openNoteBook, vaultPool } from "../services/note_book.ts";
import { Address } from "@ton/core";

const passphrase = new Secret("correct horse battery");
const deployment = {
  asset: "native",
  amount: "1",
  version: 2,
  address: new Address(0, Buffer.alloc(32, 2)),
} as Deployment;
const pool = vaultPool("testnet", deployment);
const seed = createNoteSeed();
const notes = ([1, 2] as const).map((version) =>
  createNote({ asset: "native", amount: "1", network: "testnet", version })
);
const records = notes.map((note) => createNoteRecord(formatNote(note), 1));

async function openBook(content: readonly NoteRecord[] = records) {
  const bytes = await encryptContent({ seed, records: content }, passphrase);
  const files = memoryFiles(bytes);
  const vault = await testVaults().open(bytes, passphrase);
  return { bytes, files, vault, book: await openNoteBook(files, vault) };
}

/** Encrypts a store whose file has these members in its notes. */
async function encryptWith(more: object): Promise<Uint8Array<ArrayBuffer>> {
  const stored = records.map(({ text }) => ({
    ...{ note: text.reveal(), state: "created", createdAt: 1 },
    ...more,
  }));
  const content = { format: "tonado-notes", version: 2, seed: formatNoteSeed(seed).reveal(), notes: stored };
  return await (await vaultOf(await createIdentity(passphrase, 1))).encrypt(JSON.stringify(content));
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, each) => typeof each === "bigint" ? String(each) : each);

Deno.test("a listing has the public facts of each note, and no secret, not even in a member that is unknown", async () => {
  const bytes = await encryptWith({ copy: records[0].text.reveal() });
  const vault = await testVaults().open(bytes, passphrase);
  const listing = await vault.run({ kind: "list", bytes });
  const text = textOf(listing);
  for (const { nullifier, secret } of notes) {
    for (const value of [nullifier, secret]) {
      ok(!text.includes(String(value)) && !text.includes(value.toString(16)));
    }
  }
  deepEqual(listing.records.map(({ note }) => note.commitment), notes.map(({ commitment }) => commitment));
  deepEqual(listing.records.map(({ note }) => note.nullifierHash), [notes[0].nullifierHash, undefined]);
});

Deno.test("a store with a malformed journal is refused, although the vault has no schemas", async () => {
  const bytes = await encryptWith({ state: "lost" });
  const vault = await testVaults().open(bytes, passphrase);
  await rejects(openNoteBook(memoryFiles(bytes), vault), { code: "note_store_corrupted" });
});

Deno.test("a note is revealed by its id, and the nullifier hashes of its leaves are its own", async () => {
  const { book } = await openBook();
  for (const [i, { id }] of records.entries()) {
    equal(formatNote((await book.reveal(id)).reveal()), records[i].text.reveal());
    const { commitment } = notes[i];
    const [hashes] = await book.hashes([{ id, commitment, leafIndexes: [4, 7] }]);
    for (const leaf of [4, 7]) {
      equal(hashes.nullifierHashAt(leaf), placeNote(notes[i], leaf).nullifierHash);
    }
  }
  await rejects(book.reveal("unknown"), { code: "unknown_note" });
});

Deno.test("the next note is the one that the command line would create", async () => {
  const { book } = await openBook([]);
  const stored: NoteRecord[] = [];
  const deposited = new Set([1, 4].map((index) => deriveNote(seed, "testnet", deployment, index).commitment));
  const isDeposited = (commitment: bigint) => deposited.has(commitment);
  for (let i = 0; i < 4; i++) {
    const next = deriveNextNote(seed, stored, { network: "testnet", pool: deployment, now: i, isDeposited });
    stored.push({ ...next, state: "depositing" });
    const added = await book.addNext(pool, { now: i, isDeposited });
    deepEqual([added.id, added.pool, added.state], [next.id, next.pool, "depositing"]);
  }
});

Deno.test("a note that recovery would not find is never created", async () => {
  const full = Array.from(
    { length: RECOVERY_GAP },
    (_, index) => createNoteRecord(formatNote(deriveNote(seed, "testnet", deployment, index)), 1),
  );
  const { book } = await openBook(full);
  await rejects(book.addNext(pool, { now: 1, isDeposited: () => false }), { code: "note_gap_reached" });
});

Deno.test("notes with one short id keep different ids when the second is added", async () => {
  const { book } = await openBook([records[0]]);
  const twin = `${records[0].text.reveal()}`.replace("tonado-", "tonado2-");
  const source = { kind: "text", text: twin } as const;
  const { ids } = await book.restore(source, { passphrase, pools: [], now: 1 });
  deepEqual(ids, [`${records[0].id}-2`]);
  equal((await book.reveal(ids[0])).reveal().version, 2);
});

Deno.test("another key in the same worker does not open a store that the worker had read", async () => {
  const { bytes, vault } = await openBook();
  await vault.run({ kind: "create", passphrase: "another horse battery", isLight: true });
  await rejects(vault.run({ kind: "change", bytes, change: { kind: "seed" } }), {
    code: "note_store_corrupted",
  });
});

Deno.test("a wallet's session is encrypted, and no task passes a store on as a session", async () => {
  const { bytes, vault } = await openBook();
  const session = JSON.stringify({ secretKey: "ab".repeat(32) });
  const sealed = await vault.run({ kind: "sealSession", session });
  ok(!new TextDecoder("latin1").decode(sealed).includes("ab".repeat(8)));
  equal(await vault.run({ kind: "openSession", bytes: sealed }), session);
  await rejects(vault.run({ kind: "openSession", bytes }), { code: "note_store_corrupted" });
  await rejects(vault.run({ kind: "list", bytes: sealed }), { code: "note_store_corrupted" });
  const other = await testVaults().create(passphrase);
  await rejects(other.run({ kind: "openSession", bytes: sealed }), { code: "note_store_corrupted" });
});
