import assert from "node:assert/strict";
import { armor, Decrypter, Encrypter } from "age-encryption";
import { Problem, type ProblemCode } from "../../../core/errors/problem.ts";
import { createNote, formatNote } from "../../../core/protocol/note.ts";
import { spellingsOf } from "../../../core/text/passphrase.ts";
import { Secret } from "../../../core/text/secret.ts";
import { createNoteRecord, findNullifierTwins } from "../note_store.ts";
import { decryptPaperCode, encryptPaperCode } from "../paper/paper_code.ts";
import { splitAgeFiles } from "../store/age_files.ts";
import { noteStoreFile } from "./note_store_file.ts";
import { childCommand } from "../../../../testkit/programs/child_command.ts";

const passphrase = new Secret("correct horse battery");
const cheap = { workFactor: 8 };
const fresh = () =>
  createNoteRecord(formatNote(createNote({ asset: "native", amount: "1", network: "localnet" })), 1);
const refused = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

async function inDirectory(test: (path: string) => Promise<void>) {
  const dir = await Deno.makeTempDir({ prefix: "tonado-notes-" });
  try {
    await test(`${dir}/deep/notes.age`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a reopened store has the same notes and their journal", () =>
  inDirectory(async (path) => {
    const [record, store] = [fresh(), await noteStoreFile(path, cheap).open(passphrase)];
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
    await store.update(record.id, {
      state: "withdrawing",
      withdrawal,
      deposit: { leafIndex: 3, settled: true },
    });
    const [again] = await (await noteStoreFile(path).open(passphrase)).list();
    assert.equal(again.text.reveal(), record.text.reveal());
    assert.deepEqual(again.note.reveal().commitment, record.note.reveal().commitment);
    assert.deepEqual([again.state, again.withdrawal, again.deposit], ["withdrawing", withdrawal, {
      leafIndex: 3,
      settled: true,
    }]);
  }));

Deno.test("only the owner can read the file, and it contains neither a note nor a commitment in plain text", () =>
  inDirectory(async (path) => {
    const record = fresh();
    await (await noteStoreFile(path, cheap).open(passphrase)).add([record]);
    const text = await Deno.readTextFile(path);
    const { mode } = await Deno.stat(path);
    assert.equal(mode! & 0o777, 0o600);
    for (const secret of [record.text.reveal(), record.id, "native", passphrase.reveal()]) {
      assert.ok(!text.includes(secret) && !text.includes(btoa(secret).slice(0, -3)));
    }
    assert.equal(Deno.inspect(record).includes("0x"), false);
    assert.ok(!JSON.stringify(record).includes(record.text.reveal().slice(-20)));
  }));

Deno.test("a wrong passphrase is refused, and the file is unchanged", () =>
  inDirectory(async (path) => {
    await (await noteStoreFile(path, cheap).open(passphrase)).add([fresh()]);
    const before = await Deno.readFile(path);
    await assert.rejects(
      noteStoreFile(path).open(new Secret("incorrect horse")),
      refused("wrong_passphrase"),
    );
    await assert.rejects(noteStoreFile(path).open(new Secret("")), refused("wrong_passphrase"));
    assert.deepEqual(await Deno.readFile(path), before);
  }));

Deno.test("a store opens with every spelling of its passphrase, and is encrypted with the composed one", () =>
  inDirectory(async (path) => {
    const [composed, decomposed] = ["Z\u00fcrich am See", "Zu\u0308rich am See"];
    const half = "Z\u00fcrich am Se\u0301e"; // composed and decomposed letters in one passphrase
    const openWith = (words: string) => noteStoreFile(path, cheap).open(new Secret(words));
    await (await openWith(decomposed)).add([fresh()]);
    for (const words of [composed, decomposed]) {
      assert.equal((await (await openWith(words)).list()).length, 1);
    }
    await assert.rejects(openWith("Zurich am See"), refused("wrong_passphrase"));
    const age = new Decrypter(); // the age program also uses the bytes as typed (FiloSottile/age, scrypt.go)
    age.addPassphrase(composed);
    const [head] = splitAgeFiles(await Deno.readFile(path));
    assert.match(await age.decrypt(armor.decode(head), "text"), /^AGE-SECRET-KEY-1/);
    const code = await encryptPaperCode(new Secret("text"), new Secret(half), cheap.workFactor);
    assert.equal((await decryptPaperCode(code, new Secret(half.normalize("NFD")))).reveal(), "text");
  }));

for (const form of ["NFD", "NFC", "as typed"] as const) {
  Deno.test(`a file that another program encrypted opens if the passphrase's form is ${form}`, async () => {
    const typed = "Se\u0301e und Z\u00fcrich";
    const age = new Encrypter();
    age.setPassphrase(form === "as typed" ? typed : typed.normalize(form));
    age.setScryptWorkFactor(cheap.workFactor);
    const bytes = await age.encrypt("text");
    const code = `tonado-age:${btoa(String.fromCharCode(...bytes))}`;
    assert.equal((await decryptPaperCode(code, new Secret(typed))).reveal(), "text");
  });
}

Deno.test("a passphrase has one spelling to try unless its letters can be composed or decomposed", () => {
  const tries = (words: string) => spellingsOf(words).map((each) => [...each].length);
  assert.deepEqual(tries("correct horse"), [13]);
  assert.deepEqual(tries("Z\u00fcrich"), [6, 7]);
  assert.deepEqual(tries("Zu\u0308rich"), [7, 6]);
  assert.deepEqual(tries("Se\u0301e Z\u00fcrich"), [11, 10, 12]);
});

Deno.test("a truncated or altered store is reported as corrupted and never overwritten", () =>
  inDirectory(async (path) => {
    await (await noteStoreFile(path, cheap).open(passphrase)).add([fresh()]);
    const whole = await Deno.readFile(path);
    const cuts = [0, 1, 40, whole.length >> 1, whole.length - 40, whole.length - 1];
    const spoilt = cuts.map((length) => whole.slice(0, length));
    const half = whole.length >> 1;
    for (const at of [half, half + 40, whole.length - 60]) {
      spoilt.push(whole.map((byte, i) => i === at ? (byte === 65 ? 66 : 65) : byte));
    }
    for (const bytes of spoilt) {
      await Deno.writeFile(path, bytes);
      const open = async () => await (await noteStoreFile(path, cheap).open(passphrase)).list();
      await assert.rejects(open, refused("note_store_corrupted"), `${bytes.length} of ${whole.length} bytes`);
      assert.deepEqual(await Deno.readFile(path), bytes);
    }
  }));

Deno.test("a store refuses a note that would make it too large to read", () =>
  inDirectory(async (path) => {
    const small = { ...cheap, maxBytes: 4_000 };
    const store = await noteStoreFile(path, small).open(passphrase);
    let kept = 0;
    await assert.rejects(async () => {
      for (;; kept++) await store.add([fresh()]);
    }, refused("write_failed"));
    assert.ok(kept > 0);
    assert.equal((await (await noteStoreFile(path, small).open(passphrase)).list()).length, kept);
  }));

Deno.test("a store of 128 MB is read, and a larger one is not", () =>
  inDirectory(async (path) => {
    await Deno.mkdir(path.replace(/[^/]*$/, ""));
    await Deno.writeFile(path, new Uint8Array());
    await Deno.truncate(path, 128_000_000);
    assert.ok(await noteStoreFile(path).exists());
    await Deno.truncate(path, 128_000_001);
    await assert.rejects(noteStoreFile(path).exists(), refused("invalid_config"));
  }));

Deno.test("concurrent changes of one process lose no note, also while the store is created", () =>
  inDirectory(async (path) => {
    const stores = await Promise.all([1, 2].map(() => noteStoreFile(path, cheap).open(passphrase)));
    const records = Array.from({ length: 12 }, fresh);
    await Promise.all(records.map((record, i) => stores[i % 2].add([record])));
    const ids = (await stores[0].list()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), records.map(({ id }) => id).sort());
  }));

Deno.test("concurrent processes lose no note", () =>
  inDirectory(async (path) => {
    await noteStoreFile(path, cheap).open(passphrase);
    const at = new URL("./note_store_file.ts", import.meta.url);
    const code = `
      const { noteStoreFile } = await import(${JSON.stringify(at.href)});
      const { createNoteRecord } = await import(${JSON.stringify(new URL("../note_store.ts", at).href)});
      const { createNote, formatNote } = await import(${
      JSON.stringify(new URL("../../../core/protocol/note.ts", at).href)
    });
      const { Secret } = await import(${JSON.stringify(new URL("../../../core/text/secret.ts", at).href)});
      const store = await noteStoreFile(${JSON.stringify(path)}).open(new Secret(${
      JSON.stringify(passphrase.reveal())
    }));
      for (let i = 0; i < 5; i++) {
        await store.add([createNoteRecord(formatNote(createNote({ asset: "native", amount: "1", network: "localnet" })), i)]);
      }`;
    const script = `${path}.ts`;
    await Deno.writeTextFile(script, code);
    const config = new URL("../../../../deno.json", import.meta.url).pathname;
    const ended = await Promise.all([1, 2].map(() =>
      childCommand(Deno.execPath(), { args: ["run", "-A", "--no-check", "--config", config, script] })
        .output()
    ));
    for (const { code, stderr } of ended) {
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    }
    assert.equal((await (await noteStoreFile(path).open(passphrase)).list()).length, 10);
  }));

Deno.test("only one process at a time can lock a store for work", () =>
  inDirectory(async (path) => {
    const [one, two] = [
      await noteStoreFile(path, cheap).open(passphrase),
      await noteStoreFile(path).open(passphrase),
    ];
    const work = await one.lockForWork();
    await assert.rejects(two.lockForWork(), refused("note_store_in_use"));
    await two.add([fresh()]); // adding a note is possible meanwhile
    work[Symbol.dispose]();
    (await two.lockForWork())[Symbol.dispose]();
  }));

Deno.test("a store that was replaced by another owner's is not overwritten", () =>
  inDirectory(async (path) => {
    const store = await noteStoreFile(path, cheap).open(passphrase);
    await Deno.remove(path);
    await noteStoreFile(path, cheap).open(new Secret("somebody else's words"));
    const theirs = await Deno.readFile(path);
    await assert.rejects(store.add([fresh()]), refused("note_store_corrupted"));
    assert.deepEqual(await Deno.readFile(path), theirs);
  }));

Deno.test("two notes with one short id, or with one nullifier, are both kept and found", () =>
  inDirectory(async (path) => {
    const digits = (nullifier: string, secret: string) => `0x${nullifier.repeat(31)}${secret.repeat(31)}`;
    const note = (amount: string, secrets: string) =>
      createNoteRecord(`tonado-native-${amount}-localnet-${secrets}`, 1);
    const sameId = [note("1", digits("11", "22")), note("10", digits("11", "22"))];
    const sameNullifier = note("1", digits("11", "33"));
    const store = await noteStoreFile(path, cheap).open(passphrase);
    assert.equal(await store.add([...sameId, sameNullifier, sameNullifier]), 3);
    const stored = await store.list();
    assert.deepEqual(stored.map(({ id }) => id), [sameId[0].id, `${sameId[0].id}-2`, sameNullifier.id]);
    await store.update(stored[1].id, { state: "deposited" });
    assert.deepEqual((await store.list()).map(({ state }) => state), ["created", "deposited", "created"]);
    const twins = [...findNullifierTwins(stored)].map(([id, others]) => [id, others.map(({ id }) => id)]);
    assert.deepEqual(twins, [[sameId[0].id, [sameNullifier.id]], [sameNullifier.id, [sameId[0].id]]]);
  }));
