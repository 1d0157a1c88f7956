/** Backups and restores with real encryption, and the notes that they bring back. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { encryptContent, memoryFiles, testVaults } from "../../../../tests/support/vaults/test_vaults.ts";
import { propertyParameters } from "../../../../testkit/random/property_runs.ts";
import { RECOVERY_GAP } from "../../../client/notes/derived_notes.ts";
import { identityOf, vaultOf } from "../../../client/notes/note_encryption.ts";
import {
  createNoteRecord,
  type NoteRecord,
  type NoteStoreContent,
} from "../../../client/notes/note_store.ts";
import { parseNoteStore } from "../../../client/notes/store/note_store_text.ts";
import type { Deployment, Deployments } from "../../../core/protocol/deployments.ts";
import { createNote, formatNote, type Note } from "../../../core/protocol/note.ts";
import { createNoteSeed, deriveNote, formatNoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../../core/text/secret.ts";
import { addProof, parseSettings } from "../../flows/settings.ts";
import { proofOf } from "../../vault/backup_proof.ts";
import type { AppContext, Session } from "../context.ts";
import { openSession } from "../store_service.ts";
import { vaultPools } from "../note_book.ts";
import { findCoverage, toBackupProof } from "./backup_coverage.ts";
import { backupServices } from "./backup_service.ts";
import { restoreServices } from "./restore_service.ts";

const passphrase = new Secret("correct horse battery");
const pools = ([1, 2] as const).map((version) =>
  ({
    asset: "native",
    amount: "1",
    version,
    address: new Address(0, Buffer.alloc(32, version)),
  }) as Deployment
);
const registry = {
  network: "testnet",
  pools: new Map(pools.map((pool) => [`native-1-v${pool.version}`, pool])),
} as unknown as Deployments;
const seed = createNoteSeed();
const recordOf = (note: Note) => createNoteRecord(formatNote(note), 1);
const derived = (index: number, pool = pools[0]) => recordOf(deriveNote(seed, "testnet", pool, index));
const random = () => recordOf(createNote({ asset: "native", amount: "1", network: "testnet" }));

/** A device: its stored bytes, and the files and codes that left it. */
async function openDevice(content?: NoteStoreContent) {
  const bytes = content && await encryptContent(content, passphrase);
  const saved: Uint8Array[] = [];
  const printed: string[] = [];
  const written: Uint8Array[] = [];
  const vaults = testVaults();
  const context = {
    registry,
    clock: { now: () => 1_700_000_000_000 },
    files: memoryFiles(bytes, (next) => void written.push(next)),
    vaults,
    downloads: {
      save: (_name: string, file: Uint8Array) => void saved.push(file),
      print: ({ code }: { readonly code: string }) => Promise.resolve(void printed.push(code)),
    },
  } as unknown as AppContext;
  const session = bytes && await openSession(context, await vaults.open(bytes, passphrase));
  return { context, session, saved, printed, written };
}

/** Makes a backup of the open store, reads it back, and returns its proof. */
async function prove(
  kind: "file" | "paper",
  { context, session, saved, printed }: Awaited<ReturnType<typeof openDevice>>,
) {
  const services = backupServices(context, session!, () => {}, { title: "", lines: [] });
  await services.make(kind);
  const content = kind === "file" ? { bytes: saved.at(-1)! } : { code: printed.at(-1)! };
  return await services.verify(content, passphrase);
}

async function missingIds(session: Session, proof: Awaited<ReturnType<typeof prove>>) {
  const { store } = session;
  const { missing } = findCoverage(await store.prove(vaultPools(registry)), await store.list(), {
    ...parseSettings({}),
    ...proof,
  });
  return [...missing];
}

/** Decrypts a file as the command line does. */
const readStored = async (bytes: Uint8Array) =>
  parseNoteStore(await (await vaultOf(await identityOf(bytes, passphrase))).decrypt(bytes));

const proofWith = (records: readonly NoteRecord[], of = seed) =>
  toBackupProof(proofOf({ seed: of, records }, vaultPools(registry)))!;

const missingOf = (records: readonly NoteRecord[], proof: ReturnType<typeof proofWith>) => [
  ...findCoverage(proofOf({ seed, records }, vaultPools(registry)), records, proof).missing,
];

Deno.test("a store without a seed gets one with its first backup, which can be proven", async () => {
  for (const kind of ["file", "paper"] as const) {
    const device = await openDevice({ records: [random()] });
    const proof = await prove(kind, device);
    ok(proof, kind);
    const kept = await readStored(device.written.at(-1)!);
    ok(kept.seed, "the stored bytes have the seed");
  }
});

Deno.test("a note that the seed does not bring back is in a backup file, not on paper, and not in an earlier file", async () => {
  const device = await openDevice({ seed, records: [derived(0), random()] });
  const store = device.session!.store;
  const [own, other] = await store.list();
  deepEqual(await missingIds(device.session!, undefined), [own.id, other.id]);
  const paper = await prove("paper", device);
  deepEqual(await missingIds(device.session!, paper), [other.id]);
  const file = await prove("file", device);
  deepEqual(await missingIds(device.session!, file), []);
  const later = random();
  for (const { text } of [later, derived(7, pools[1])]) {
    const source = { kind: "text", text: text.reveal() } as const;
    await store.restore(source, { passphrase, pools: [], now: 1 });
  }
  deepEqual(await missingIds(device.session!, file), [later.id]);
});

Deno.test("proofs of one seed accumulate, and another seed resets them", () => {
  const [first, second] = [random(), random()];
  const settings = parseSettings({});
  const one = addProof(settings, proofWith([first]));
  const both = addProof({ ...settings, ...one }, proofWith([second, derived(0)]));
  equal(both.provenNotes.length, 2, "derived notes need no tag");
  const records = [first, second, derived(0)];
  deepEqual(missingOf(records, both), []);
  const changed = addProof({ ...settings, ...both }, proofWith([], createNoteSeed()));
  const { hasSeed, missing } = findCoverage(
    proofOf({ seed, records }, vaultPools(registry)),
    records,
    changed,
  );
  deepEqual([hasSeed, missing.size], [false, 3]);
});

Deno.test("a proof contains no note", () => {
  const note = random();
  const text = JSON.stringify(proofWith([note]));
  const { commitment, nullifierHash } = note.note.reveal();
  for (const value of [commitment, nullifierHash]) ok(!text.includes(value.toString(16).slice(0, 12)));
});

Deno.test("every derived note counts as backed up, with gaps that recovery bridges, and no other note", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ gap: fc.nat(RECOVERY_GAP - 1), pool: fc.nat(1), isDerived: fc.boolean() }), {
        maxLength: 4,
      }),
      (notes) => {
        const next = [0, 0];
        const records: NoteRecord[] = [];
        const others: string[] = [];
        for (const { gap, pool, isDerived } of notes) {
          const record = isDerived ? derived(next[pool] += gap, pools[pool]) : random();
          if (isDerived) next[pool]++;
          else others.push(record.id);
          records.push(record);
        }
        const proof = proofWith([]);
        deepEqual(missingOf(records, proof), others);
      },
    ),
    propertyParameters(10),
  );
});

Deno.test("a restored backup is proven for what it has, and a restored note is in no backup", async () => {
  const note = random();
  const made = await openDevice({ seed, records: [derived(0), note] });
  await prove("file", made);
  const fresh = await openDevice();
  let session: Session | undefined;
  const recorded: unknown[] = [];
  const services = restoreServices(
    fresh.context,
    () => session,
    (created) => session = created,
    (proof) => recorded.push(proof),
  );
  const file = { kind: "file", name: "notes.age", bytes: made.saved[0] } as const;
  const { proof, added } = await services.restore(file, passphrase);
  equal(added, 2);
  deepEqual(await missingIds(session!, proof), []);
  const single = random();
  const restored = await services.restore({ kind: "text", text: single.text }, passphrase);
  equal(restored.proof, undefined);
  deepEqual(await missingIds(session!, proof), [single.id]);
  const code = await services.restore({ kind: "text", text: formatNoteSeed(seed) }, passphrase);
  deepEqual(await missingIds(session!, code.proof), [note.id, single.id]);
  deepEqual(recorded, [proof, code.proof]);
});

Deno.test("a store that is made of a recovery code has the seed from its first write", async () => {
  const { context, written } = await openDevice();
  const services = restoreServices(context, () => undefined, () => {}, () => {});
  await services.restore({ kind: "text", text: formatNoteSeed(seed) }, passphrase);
  const first = await readStored(written[0]);
  equal(formatNoteSeed(first.seed!).reveal(), formatNoteSeed(seed).reveal());
});
