/**
 * Symbolic links in place of each file that the program writes. A user's own files keep their links, as a synced
 * folder needs. A new file never replaces a link. Folders that others may fill are not trusted with links.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { localFiles } from "../../src/cli/files/local_files.ts";
import { createNoteRecord } from "../../src/client/notes/note_store.ts";
import { noteStoreFile } from "../../src/client/notes/files/note_store_file.ts";
import { addToRegistry, assertRegistryWritable } from "../../src/config/deployments_registry.ts";
import { fileExists } from "../../src/config/files/bounded_file.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { createNote, formatNote } from "../../src/core/protocol/note.ts";
import { Secret } from "../../src/core/text/secret.ts";
import { diskFolder } from "../../src/ops/ceremony/files/disk_folder.ts";
import { createTreeSnapshotFiles } from "../../src/store/files/tree_snapshot_files.ts";

const text = new TextEncoder().encode("new content");
const oldText = new TextEncoder().encode("old content");
const passphrase = new Secret("correct horse battery");
const pool = {
  address: Address.parse(`0:${"7".repeat(64)}`),
  asset: "native",
  amount: "1",
  denomination: 10n ** 9n,
  deployedSeqno: 5,
  codeHash: "c".repeat(64),
  vkeyHash: "b".repeat(64),
  owner: null,
};

async function addNoteTo(path: string): Promise<void> {
  const store = await noteStoreFile(path, { workFactor: 8 }).open(passphrase);
  const note = createNote({ asset: "native", amount: "1", network: "localnet" });
  await store.add([createNoteRecord(formatNote(note), 1)]);
}

/** Returns a valid file of the kind, for a link to point to. */
const noteStore = () =>
  withFolder(async (folder) => (await addNoteTo(`${folder}/made`), Deno.readFile(`${folder}/made`)));
const registry = () => Promise.resolve(new TextEncoder().encode('{"network":"testnet","pools":{}}'));

interface Writer {
  readonly write: (path: string) => Promise<void>;
  readonly content?: () => Promise<Uint8Array<ArrayBuffer>>;
  /** What the writer does with a link: write its target, refuse, or replace the link by a file. */
  readonly links: "follows" | "refuses" | "replaces";
  /** The file's name in its folder, if the writer chooses it. */
  readonly name?: string;
}

const snapshotName = `tree-0_${"1".repeat(64)}.bin`;
const writers: Readonly<Record<string, Writer>> = {
  "the note store": { write: addNoteTo, content: noteStore, links: "follows" },
  "the registry": {
    async write(path) {
      await assertRegistryWritable(path);
      await addToRegistry("testnet", path, [pool]);
    },
    content: registry,
    links: "follows",
  },
  "a local network's registry": {
    write: (path) => localFiles.writeFile(path, "new content"),
    links: "follows",
  },
  "a new file, such as a backup": {
    write: (path) => localFiles.writeNewFile(path, ReadableStream.from([text])),
    links: "refuses",
  },
  "a new picture or report": {
    write: (path) =>
      Promise.resolve().then(() => {
        using file = localFiles.openOutputFile("--qr", path);
        file.assertWritable();
        file.write("new content");
      }),
    links: "refuses",
  },
  "a ceremony's file": {
    write: (path) => diskFolder(path.replace(/\/[^/]*$/, "")).write(path.replace(/.*\//, ""), text),
    links: "replaces",
  },
  "a tree's snapshot": {
    write: (path) =>
      createTreeSnapshotFiles(path.replace(/\/[^/]*$/, ""), new Uint8Array(32), 1_000)
        .save(`0:${"1".repeat(64)}`, text),
    links: "refuses",
    name: snapshotName,
  },
};

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-links-" });
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const isLink = async (path: string) => (await Deno.lstat(path)).isSymlink;
const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

for (
  const [what, { write, content = () => Promise.resolve(oldText), links, name = "file" }] of Object.entries(
    writers,
  )
) {
  Deno.test(`${what} behind a link to a link: the writer ${links} it`, () =>
    withFolder(async (folder) => {
      const [near, far] = [`${folder}/near`, `${folder}/far`];
      await Deno.mkdir(near);
      await Deno.mkdir(far);
      const before = await content();
      await Deno.writeFile(`${far}/target`, before, { mode: 0o640 });
      await Deno.symlink("../far/target", `${near}/second`);
      await Deno.symlink("second", `${near}/${name}`);
      const outcome = write(`${near}/${name}`);
      if (links === "refuses") await assert.rejects(outcome);
      else await outcome;
      assert.deepEqual(namesIn(near), [name, "second"].sort());
      assert.deepEqual(namesIn(far), ["target"]);
      assert.equal(await isLink(`${near}/${name}`), links !== "replaces");
      const isChanged = !Buffer.from(before).equals(Deno.readFileSync(`${far}/target`));
      assert.equal(isChanged, links === "follows");
      assert.equal((await Deno.stat(`${far}/target`)).mode! & 0o777, 0o640);
    }));

  Deno.test(`${what} behind a link to nothing: the writer ${links} it`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/${name}`;
      await Deno.symlink("deep/target", path);
      const outcome = write(path);
      if (links === "refuses") await assert.rejects(outcome);
      else await outcome;
      assert.equal(await isLink(path), links !== "replaces");
      assert.equal(await fileExists(`${folder}/deep/target`), links === "follows");
    }));

  Deno.test(`${what} behind links in a loop is not written, and no link is lost`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/${name}`;
      await Deno.symlink("other", path);
      await Deno.symlink(name, `${folder}/other`);
      const outcome = write(path);
      if (links === "replaces") await outcome;
      else await assert.rejects(outcome, (error) => error instanceof Problem || name === snapshotName);
      assert.equal(await isLink(path), links !== "replaces");
      assert.deepEqual(namesIn(folder), [name, "other"].sort());
    }));
}

/** Files that exist only while the program writes; each is made beside `file`. */
const helpers: Readonly<
  Record<string, { readonly name: string; readonly write: (path: string) => Promise<void> }>
> = {
  "the note store's lock": { name: "file.lock", write: addNoteTo },
  "the note store's lock for long work": {
    name: "file.work",
    async write(path) {
      const store = await noteStoreFile(path, { workFactor: 8 }).open(passphrase);
      using _work = await store.lockForWork();
    },
  },
  "the registry's lock": { name: "file.lock", write: writers["the registry"].write },
  "a ceremony's lock": {
    name: ".ceremony.lock",
    async write(path) {
      using _lock = await diskFolder(path.replace(/\/[^/]*$/, "")).lock();
    },
  },
  "the draft of a new file": { name: "file.part", write: writers["a new file, such as a backup"].write },
};

for (const [what, { name, write }] of Object.entries(helpers)) {
  Deno.test(`a link in place of ${what} is refused, and neither followed nor removed`, () =>
    withFolder(async (folder) => {
      const [near, far] = [`${folder}/near`, `${folder}/far`];
      await Deno.mkdir(near);
      await Deno.mkdir(far);
      await Deno.writeFile(`${far}/old`, oldText);
      for (const target of ["old", "missing"]) {
        await Deno.symlink(`../far/${target}`, `${near}/${name}`);
        await assert.rejects(write(`${near}/file`), (error) => {
          assert.ok(error instanceof Problem);
          assert.match(
            [error.message, ...error.errors.map(({ detail }) => detail)].join(),
            new RegExp(`near/${name}`),
          );
          return true;
        });
        assert.equal(await Deno.readLink(`${near}/${name}`), `../far/${target}`);
        assert.deepEqual(namesIn(near).filter((each) => each !== "file"), [name]);
        assert.deepEqual(namesIn(far), ["old"]);
        assert.deepEqual(await Deno.readFile(`${far}/old`), oldText);
        await Deno.remove(`${near}/${name}`);
      }
      await write(`${near}/file`);
      assert.equal(namesIn(near).includes(name), false);
    }));
}

Deno.test("a note store has one lock, whichever link names it", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/synced`);
    await Deno.symlink("synced/notes.age", `${folder}/notes.age`);
    const [byLink, byName] = await Promise.all(
      ["notes.age", "synced/notes.age"].map((name) =>
        noteStoreFile(`${folder}/${name}`, { workFactor: 8 }).open(passphrase)
      ),
    );
    {
      using _work = await byLink.lockForWork();
      await assert.rejects(byName.lockForWork(), { code: "note_store_in_use" });
    }
    (await byName.lockForWork())[Symbol.dispose]();
  }));

Deno.test("concurrent additions to a registry lose no pool", () =>
  withFolder(async (folder) => {
    const path = `${folder}/pools.json`;
    await Deno.symlink("pools.json", `${folder}/link.json`);
    const amounts = Array.from({ length: 12 }, (_, i) => String(10 ** i));
    await Promise.all(amounts.map((amount, i) => {
      const denomination = BigInt(amount) * 10n ** 9n;
      return addToRegistry("testnet", i % 2 ? path : `${folder}/link.json`, [{
        ...pool,
        amount,
        denomination,
      }]);
    }));
    const { pools } = JSON.parse(await Deno.readTextFile(path));
    assert.deepEqual(Object.keys(pools).sort(), amounts.map((amount) => `native-${amount}`).sort());
  }));
