import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { createNoteSeed, formatNoteSeed, type NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { nextDerivedNote } from "./derived_notes.ts";
import { createIdentity, identityOf, type NoteVault, vaultOf } from "./note_encryption.ts";
import { createNoteRecord, type NoteRecord, serializeNoteStore } from "./note_store.ts";
import { decryptPaperCode, encryptPaperCode } from "./paper/paper_code.ts";
import { type NoteStorage, openStoredNotes } from "./stored_notes.ts";

const passphrase = new Secret("correct horse battery");
const WORK_FACTOR = 8;
const pool = { asset: "native", amount: "1", address: new Address(0, Buffer.alloc(32, 7)) };
const derive = (seed: NoteSeed, records: readonly NoteRecord[]) => {
  const stored = new Set(records.map(({ note }) => note.reveal().commitment));
  const { note } = nextDerivedNote(seed, "localnet", pool, {
    isStored: (commitment) => stored.has(commitment),
    isDeposited: () => false,
  });
  return createNoteRecord(formatNote(note), 1);
};

function memoryStorage(bytes: Uint8Array): NoteStorage {
  let last: Promise<unknown> = Promise.resolve();
  return {
    name: "the test's storage",
    read: () => Promise.resolve(bytes),
    write: (next) => Promise.resolve(void (bytes = next)),
    async lock() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = last;
      last = promise;
      await before;
      return { [Symbol.dispose]: resolve };
    },
    lockForWork: () => Promise.reject(new Error("not used here")),
  };
}

async function openStore(content: string | undefined = serializeNoteStore({ records: [] })) {
  const vault: NoteVault = await vaultOf(await createIdentity(passphrase, WORK_FACTOR));
  const storage = memoryStorage(await vault.encrypt(content));
  const toPaperCode = (text: Secret<string>) => encryptPaperCode(text, passphrase, WORK_FACTOR);
  return { storage, store: await openStoredNotes(storage, vault, toPaperCode) };
}

Deno.test("a store gets its seed with its first derived note, and keeps both", async () => {
  const { store, storage } = await openStore();
  equal(await store.seed(), undefined);
  await rejects(store.createSeedPaperCode(), { code: "seed_missing" });
  const first = await store.addDerived(derive);
  const seed = (await store.seed())!;
  const second = await store.addDerived(derive);
  deepEqual((await store.list()).map(({ id }) => id), [first.id, second.id]);
  const vault = await vaultOf(await identityOf((await storage.read())!, passphrase));
  const again = await openStoredNotes(storage, vault, () => Promise.reject(new Error("not used here")));
  equal(formatNoteSeed((await again.seed())!).reveal(), formatNoteSeed(seed).reveal());
  deepEqual((await again.list()).map(({ id }) => id), [first.id, second.id]);
  const code = await decryptPaperCode(await store.createSeedPaperCode(), passphrase);
  equal(code.reveal(), formatNoteSeed(seed).reveal());
});

Deno.test("concurrent derivations never return the same note, nor two seeds", async () => {
  const { store } = await openStore();
  const records = await Promise.all(Array.from({ length: 8 }, () => store.addDerived(derive)));
  equal(new Set(records.map(({ id }) => id)).size, 8);
  equal((await store.list()).length, 8);
});

Deno.test("a store of version 1 is read, and its next derived note upgrades it", async () => {
  const text = formatNote(createNote({ asset: "native", amount: "1", network: "localnet" }));
  const version1 = {
    format: "tonado-notes",
    version: 1,
    notes: [{ note: text, createdAt: 5, state: "deposited" }],
  };
  const { store } = await openStore(JSON.stringify(version1));
  const [old] = await store.list();
  deepEqual([old.text.reveal(), old.state, await store.seed()], [text, "deposited", undefined]);
  await store.addDerived(derive);
  equal((await store.list())[0].text.reveal(), text);
  ok(await store.seed());
});

Deno.test("a restored seed is kept, and another one is refused without a change", async () => {
  const { store, storage } = await openStore();
  const [seed, other] = [createNoteSeed(), createNoteSeed()];
  await store.restoreSeed(seed);
  await store.restoreSeed(seed);
  const before = await storage.read();
  await rejects(store.restoreSeed(other), { code: "seed_conflict" });
  equal(await storage.read(), before);
  equal(formatNoteSeed((await store.seed())!).reveal(), formatNoteSeed(seed).reveal());
});

Deno.test("content with a malformed seed or of a later version is refused without being quoted", async () => {
  const seed = formatNoteSeed(createNoteSeed()).reveal();
  for (
    const content of [
      { version: 2, seed: seed.slice(0, -1), notes: [] },
      { version: 3, seed, notes: [] },
      { version: 2, seed, notes: ["tonado-native"] },
    ]
  ) {
    const text = JSON.stringify({ format: "tonado-notes", ...content });
    await rejects(openStore(text), (error: Error & { code?: string }) => {
      ok(!Deno.inspect(error).includes(seed.slice(14, 30)));
      return error.code === "note_store_corrupted";
    });
  }
});

/** Makes the allocation of a mebibyte or more fail, as on a device whose memory is full. */
async function withoutMemory<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const real = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(real, {
    construct(target, args) {
      if (typeof args[0] === "number" && args[0] >= 2 ** 20) throw error;
      return Reflect.construct(target, args);
    },
  });
  try {
    return await work();
  } finally {
    globalThis.Uint8Array = real;
  }
}

const MEBIBYTE_WORK_FACTOR = 10; // scrypt takes 2^10 KiB with it
const allocationErrors: [browser: string, error: Error][] = [
  ["V8 and JavaScriptCore", new RangeError("Array buffer allocation failed")],
  ["Firefox", Object.assign(new Error("allocation size overflow"), { name: "InternalError" })],
];
for (const [browser, error] of allocationErrors) {
  Deno.test(`memory that scrypt cannot allocate in ${browser} is out_of_memory, not a wrong passphrase`, async () => {
    const create = () => createIdentity(passphrase, MEBIBYTE_WORK_FACTOR);
    const bytes = await (await vaultOf(await create())).encrypt("");
    await rejects(withoutMemory(error, create), { code: "out_of_memory" });
    await rejects(withoutMemory(error, () => identityOf(bytes, passphrase)), { code: "out_of_memory" });
  });
}

Deno.test("another failure of scrypt is reported as it is, or as a corrupted store", async () => {
  const create = () => createIdentity(passphrase, MEBIBYTE_WORK_FACTOR);
  const bytes = await (await vaultOf(await create())).encrypt("");
  const broken = new TypeError("broken");
  await rejects(withoutMemory(broken, create), broken);
  const opened = withoutMemory(broken, () => identityOf(bytes, passphrase));
  await rejects(opened, { code: "note_store_corrupted" });
});
