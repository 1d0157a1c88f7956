/** The note store under what may happen to a file: crashes, other processes, thieves, bad disks. */
import assert from "node:assert/strict";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import { createNote, formatNote } from "../../core/note.ts";
import { Secret } from "../../core/secret.ts";
import { newRecord } from "../note_store.ts";
import { noteFile } from "./note_file.ts";

const passphrase = new Secret("correct horse battery");
const cheap = { workFactor: 8 };
const fresh = () =>
  newRecord(formatNote(createNote({ asset: "native", amount: "1", network: "localnet" })), 1);
const refused = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

async function inDirectory(test: (path: string) => Promise<void>) {
  const dir = await Deno.makeTempDir({ prefix: "tonado-notes-" });
  try {
    await test(`${dir}/deep/notes.age`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("notes come back as they were, with what was done with them, after the program ended", () =>
  inDirectory(async (path) => {
    const [record, store] = [fresh(), await noteFile(path, cheap).open(passphrase)];
    assert.equal(await store.add([record, record]), 1);
    const withdrawal = {
      relayer: "https://relayer.example",
      recipient: "0:77",
      fee: "1",
      refund: "0",
      request: {
        proof: { pi_a: ["1"], pi_b: [["1"]], pi_c: ["1"], protocol: "groth16", curve: "bls12381" } as const,
        publicSignals: ["1"],
      },
      at: 2,
    };
    await store.update(record.id, { state: "withdrawing", withdrawal, deposit: { leafIndex: 3 } });
    const [again] = await (await noteFile(path).open(passphrase)).list();
    assert.equal(again.text.reveal(), record.text.reveal());
    assert.deepEqual(again.note.reveal().commitment, record.note.reveal().commitment);
    assert.deepEqual([again.state, again.withdrawal, again.deposit], ["withdrawing", withdrawal, {
      leafIndex: 3,
    }]);
  }));

Deno.test("the file is its owner's alone, and holds neither a note nor a commitment in the clear", () =>
  inDirectory(async (path) => {
    const record = fresh();
    await (await noteFile(path, cheap).open(passphrase)).add([record]);
    const text = await Deno.readTextFile(path);
    const { mode } = await Deno.stat(path);
    assert.equal(mode! & 0o777, 0o600);
    for (const secret of [record.text.reveal(), record.id, "native", passphrase.reveal()]) {
      assert.ok(!text.includes(secret) && !text.includes(btoa(secret).slice(0, -3)));
    }
    assert.equal(Deno.inspect(record).includes("0x"), false);
    assert.ok(!JSON.stringify(record).includes(record.text.reveal().slice(-20)));
  }));

Deno.test("another passphrase is refused, and the file stays as it is", () =>
  inDirectory(async (path) => {
    await (await noteFile(path, cheap).open(passphrase)).add([fresh()]);
    const before = await Deno.readFile(path);
    await assert.rejects(noteFile(path).open(new Secret("incorrect horse")), refused("notes_locked"));
    await assert.rejects(noteFile(path).open(new Secret("")), refused("notes_locked"));
    assert.deepEqual(await Deno.readFile(path), before);
  }));

Deno.test("a store that is cut off anywhere, or altered, is named damaged and never written over", () =>
  inDirectory(async (path) => {
    await (await noteFile(path, cheap).open(passphrase)).add([fresh()]);
    const whole = await Deno.readFile(path);
    const cuts = [0, 1, 40, whole.length >> 1, whole.length - 40, whole.length - 1];
    const spoilt = cuts.map((length) => whole.slice(0, length));
    const half = whole.length >> 1;
    for (const at of [half, half + 40, whole.length - 60]) {
      spoilt.push(whole.map((byte, i) => i === at ? (byte === 65 ? 66 : 65) : byte));
    }
    for (const bytes of spoilt) {
      await Deno.writeFile(path, bytes);
      const open = async () => await (await noteFile(path, cheap).open(passphrase)).list();
      await assert.rejects(open, refused("notes_damaged"), `${bytes.length} of ${whole.length} bytes`);
      assert.deepEqual(await Deno.readFile(path), bytes);
    }
  }));

Deno.test("a store takes no note with which it could not be read again", () =>
  inDirectory(async (path) => {
    const small = { ...cheap, most: 4_000 };
    const store = await noteFile(path, small).open(passphrase);
    let kept = 0;
    await assert.rejects(async () => {
      for (;; kept++) await store.add([fresh()]);
    }, refused("cannot_write"));
    assert.ok(kept > 0);
    assert.equal((await (await noteFile(path, small).open(passphrase)).list()).length, kept);
  }));

Deno.test("two at once lose no note, the first two to make the store among them", () =>
  inDirectory(async (path) => {
    const stores = await Promise.all([1, 2].map(() => noteFile(path, cheap).open(passphrase)));
    const records = Array.from({ length: 12 }, fresh);
    await Promise.all(records.map((record, i) => stores[i % 2].add([record])));
    const ids = (await stores[0].list()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), records.map(({ id }) => id).sort());
  }));

Deno.test("processes at once lose no note either", () =>
  inDirectory(async (path) => {
    await noteFile(path, cheap).open(passphrase);
    const at = new URL("./note_file.ts", import.meta.url);
    const code = `
      const { noteFile } = await import(${JSON.stringify(at.href)});
      const { newRecord } = await import(${JSON.stringify(new URL("../note_store.ts", at).href)});
      const { createNote, formatNote } = await import(${
      JSON.stringify(new URL("../../core/note.ts", at).href)
    });
      const { Secret } = await import(${JSON.stringify(new URL("../../core/secret.ts", at).href)});
      const store = await noteFile(${JSON.stringify(path)}).open(new Secret(${
      JSON.stringify(passphrase.reveal())
    }));
      for (let i = 0; i < 5; i++) {
        await store.add([newRecord(formatNote(createNote({ asset: "native", amount: "1", network: "localnet" })), i)]);
      }`;
    const script = `${path}.ts`;
    await Deno.writeTextFile(script, code);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const ended = await Promise.all([1, 2].map(() =>
      new Deno.Command(Deno.execPath(), { args: ["run", "-A", "--no-check", "--config", config, script] })
        .output()
    ));
    for (const { code, stderr } of ended) {
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    }
    assert.equal((await (await noteFile(path).open(passphrase)).list()).length, 10);
  }));

Deno.test("only one process moves money with a store at a time", () =>
  inDirectory(async (path) => {
    const [one, two] = [await noteFile(path, cheap).open(passphrase), await noteFile(path).open(passphrase)];
    const work = await one.work();
    await assert.rejects(two.work(), refused("notes_busy"));
    await two.add([fresh()]); // a note may be made meanwhile
    work[Symbol.dispose]();
    (await two.work())[Symbol.dispose]();
  }));

Deno.test("a store that was replaced by another owner's is not written over", () =>
  inDirectory(async (path) => {
    const store = await noteFile(path, cheap).open(passphrase);
    await Deno.remove(path);
    await noteFile(path, cheap).open(new Secret("somebody else's words"));
    const theirs = await Deno.readFile(path);
    await assert.rejects(store.add([fresh()]), refused("notes_damaged"));
    assert.deepEqual(await Deno.readFile(path), theirs);
  }));
