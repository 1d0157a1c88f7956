/** Backups and restores with real encryption, and the notes that they bring back. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { propertyParameters } from "../../../../testkit/random/property_runs.ts";
import { RECOVERY_GAP } from "../../../client/notes/derived_notes.ts";
import {
  createIdentity,
  identityOf,
  type NoteIdentity,
  vaultOf,
} from "../../../client/notes/note_encryption.ts";
import {
  createNoteRecord,
  type NoteRecord,
  type NoteStoreContent,
  parseNoteStore,
  serializeNoteStore,
} from "../../../client/notes/note_store.ts";
import { decryptPaperCode, encryptPaperCode } from "../../../client/notes/paper/paper_code.ts";
import type { Deployment, Deployments } from "../../../core/protocol/deployments.ts";
import { createNote, formatNote, type Note } from "../../../core/protocol/note.ts";
import { createNoteSeed, deriveNote, formatNoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../../core/text/secret.ts";
import { addProof, parseSettings } from "../../flows/settings.ts";
import type { OpenVault } from "../../ports.ts";
import type { AppContext, Session } from "../context.ts";
import { openSession } from "../store_service.ts";
import { findCoverage, proveBackup } from "./backup_proof.ts";
import { backupServices } from "./backup_service.ts";
import { restoreServices } from "./restore_service.ts";

const WORK_FACTOR = 1;
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

async function openVault(identity: NoteIdentity): Promise<OpenVault> {
  return {
    ...await vaultOf(identity),
    toPaperCode: (text) => encryptPaperCode(text, passphrase, WORK_FACTOR),
    close() {},
  };
}

/** A device: its stored bytes, and the files and codes that left it. */
async function openDevice(content?: NoteStoreContent) {
  const identity = await createIdentity(passphrase, WORK_FACTOR);
  let bytes = content && await (await openVault(identity)).encrypt(serializeNoteStore(content));
  const free = { [Symbol.dispose]() {} };
  const saved: Uint8Array[] = [];
  const printed: string[] = [];
  const written: Uint8Array[] = [];
  const context = {
    registry,
    clock: { now: () => 1_700_000_000_000 },
    files: {
      name: "the test's store",
      read: () => Promise.resolve(bytes),
      write: (next: Uint8Array<ArrayBuffer>) => Promise.resolve(void written.push(bytes = next)),
      lock: () => Promise.resolve(free),
      persist: () => Promise.resolve(true),
    },
    vaults: {
      create: async (given: Secret<string>) => openVault(await createIdentity(given, WORK_FACTOR)),
      open: async (file: Uint8Array, given: Secret<string>) => openVault(await identityOf(file, given)),
      openPaperCode: decryptPaperCode,
    },
    downloads: {
      save: (_name: string, file: Uint8Array) => void saved.push(file),
      print: ({ code }: { readonly code: string }) => Promise.resolve(void printed.push(code)),
    },
  } as unknown as AppContext;
  const session = content && await openSession(context, await openVault(identity));
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
  const content = { seed: (await session.store.seed())!, records: await session.store.list() };
  const { missing } = await findCoverage(registry, content, { ...parseSettings({}), ...proof });
  return [...missing];
}

Deno.test("a store without a seed gets one with its first backup, which can be proven", async () => {
  for (const kind of ["file", "paper"] as const) {
    const device = await openDevice({ records: [random()] });
    const proof = await prove(kind, device);
    ok(proof, kind);
    const kept = parseNoteStore(await device.session!.vault.decrypt((await device.context.files.read())!));
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
  await store.add([later, derived(7, pools[1])]);
  deepEqual(await missingIds(device.session!, file), [later.id]);
});

Deno.test("proofs of one seed accumulate, and another seed resets them", async () => {
  const [first, second] = [random(), random()];
  const settings = parseSettings({});
  const one = addProof(settings, await proveBackup(registry, seed, [first]));
  const both = addProof({ ...settings, ...one }, await proveBackup(registry, seed, [second, derived(0)]));
  equal(both.provenNotes.length, 2, "derived notes need no tag");
  const content = { seed, records: [first, second, derived(0)] };
  deepEqual([...(await findCoverage(registry, content, both)).missing], []);
  const changed = addProof({ ...settings, ...both }, await proveBackup(registry, createNoteSeed(), []));
  const { hasSeed, missing } = await findCoverage(registry, content, changed);
  deepEqual([hasSeed, missing.size], [false, 3]);
});

Deno.test("a proof contains no note", async () => {
  const note = random();
  const text = JSON.stringify(await proveBackup(registry, seed, [note]));
  const { commitment, nullifierHash } = note.note.reveal();
  for (const value of [commitment, nullifierHash]) ok(!text.includes(value.toString(16).slice(0, 12)));
});

Deno.test("every derived note counts as backed up, with gaps that recovery bridges, and no other note", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ gap: fc.nat(RECOVERY_GAP - 1), pool: fc.nat(1), isDerived: fc.boolean() }), {
        maxLength: 4,
      }),
      async (notes) => {
        const next = [0, 0];
        const records: NoteRecord[] = [];
        const others: string[] = [];
        for (const { gap, pool, isDerived } of notes) {
          const record = isDerived ? derived(next[pool] += gap, pools[pool]) : random();
          if (isDerived) next[pool]++;
          else others.push(record.id);
          records.push(record);
        }
        const proof = await proveBackup(registry, seed, []);
        deepEqual([...(await findCoverage(registry, { seed, records }, proof)).missing], others);
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
  const services = restoreServices(fresh.context, () => session, (created) => session = created);
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
});

Deno.test("a store that is made of a recovery code has the seed from its first write", async () => {
  const { context, written } = await openDevice();
  const services = restoreServices(context, () => undefined, () => {});
  await services.restore({ kind: "text", text: formatNoteSeed(seed) }, passphrase);
  const vault = await openVault(await identityOf(written[0], passphrase));
  const first = parseNoteStore(await vault.decrypt(written[0]));
  equal(formatNoteSeed(first.seed!).reveal(), formatNoteSeed(seed).reveal());
});
