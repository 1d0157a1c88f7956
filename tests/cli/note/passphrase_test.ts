/** Passphrases of note stores as files and terminals give them, which may encode one passphrase in several ways. */
import assert from "node:assert/strict";
import { fileExists } from "../../../src/config/files/bounded_file.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const PASSPHRASE = "correct horse battery";
const utf8 = new TextEncoder();
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

function utf16(text: string, { isBigEndian = false } = {}): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), !isBigEndian);
  return bytes;
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-passphrase-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a command that opens the folder's store, and creates a missing one. */
async function openWith(folder: string, passphrase: Uint8Array<ArrayBuffer>) {
  const file = `${folder}/passphrase`;
  await Deno.writeFile(file, passphrase);
  const env = { TONADO_NOTES: `${folder}/notes.age`, TONADO_PASSPHRASE_FILE: file };
  return await runCli(["note", "seed", "show", "--json"], env);
}

const faults: [what: string, bytes: Uint8Array<ArrayBuffer>, says: RegExp][] = [
  ["is empty", new Uint8Array(), /"[^"]*" is empty/],
  ["is only a line break", utf8.encode("\n"), /"[^"]*" is empty/],
  ["is only a byte order mark", new Uint8Array(BYTE_ORDER_MARK), /"[^"]*" is empty/],
  ["has two byte order marks", utf8.encode(`\ufeff\ufeff${PASSPHRASE}`), /begins with two byte order marks/],
  [
    "has 1 MiB",
    new Uint8Array(1 << 20).fill(0x61),
    /cannot be read: it has 1048576 bytes, more than 65536/,
  ],
  ["is UTF-16", utf16(`\ufeff${PASSPHRASE}`), /cannot be read: it is UTF-16 .*Save it as UTF-8/],
  [
    "is UTF-16, high byte first",
    utf16(`\ufeff${PASSPHRASE}`, { isBigEndian: true }),
    /cannot be read: it is UTF-16 .*Save it as UTF-8/,
  ],
  ["is UTF-16 without a mark", utf16(PASSPHRASE), /cannot be read: it is UTF-16 .*Save it as UTF-8/],
  ["is Windows-1252", Uint8Array.from("Zürich Zürich", (c) => c.charCodeAt(0)), /is not UTF-8 .*Save it as/],
  ["contains NUL", utf8.encode(`${PASSPHRASE}\0`), /cannot be read: it is UTF-16 or binary/],
  ["contains a tab", utf8.encode("correct\thorse battery"), /"passphrase","detail":"contains a control/],
  ["has two lines", utf8.encode("correct horse\nbattery\n"), /"passphrase","detail":"contains a control/],
  ["was decoded before", utf8.encode("Z\ufffdrich Z\ufffdrich"), /"passphrase","detail":"contains a control/],
];

for (const [what, bytes, says] of faults) {
  Deno.test(`no store is created with a passphrase file that ${what}`, () =>
    inFolder(async (folder) => {
      const { code, stderr } = await openWith(folder, bytes);
      assert.match(stderr, says);
      assert.equal(code, 2, stderr);
      assert.equal(await fileExists(`${folder}/notes.age`), false);
    }));
}

Deno.test("a passphrase file's byte order mark and last line break are not part of the passphrase", () =>
  inFolder(async (folder) => {
    const marked = utf8.encode(`\ufeff${PASSPHRASE}\r\n`);
    for (const bytes of [marked, utf8.encode(PASSPHRASE), utf8.encode(`${PASSPHRASE}\n`)]) {
      const { code, stderr } = await openWith(folder, bytes);
      assert.equal(code, 0, stderr);
    }
  }));

Deno.test("a seed file that is UTF-16 is refused with the reason", () =>
  inFolder(async (folder) => {
    await Deno.writeFile(`${folder}/seed.txt`, utf16("\ufefftonado-seed-"));
    const env = { TONADO_NOTES: `${folder}/notes.age`, TONADO_PASSPHRASE: PASSPHRASE };
    const { code, stderr } = await runCli(["note", "seed", "restore", `${folder}/seed.txt`], env);
    assert.match(stderr, /cannot be read: it is UTF-16 .*Save it as UTF-8/);
    assert.equal(code, 2, stderr);
  }));

Deno.test("a typed passphrase with a character that a terminal could not decode is asked for again", () =>
  inFolder(async (folder) => {
    const env = { TONADO_NOTES: `${folder}/notes.age` };
    const secrets = ["Z\ufffdrich Z\ufffdrich", PASSPHRASE, PASSPHRASE];
    const { code, stderr } = await runCli(["note", "seed", "show", "--json"], env, { secrets });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /The passphrase contains a control character/);
  }));
