/** `tonado note backup --page`, and restoring from the file, from a scanner and from typed text. */
import assert from "node:assert/strict";
import { createNote, formatNote, type Note } from "../../../src/core/protocol/note.ts";
import { findPaperCodes } from "../../../src/client/notes/paper/paper_code_text.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";
import { decodeQrCodes } from "../../support/cli/qr_codes.ts";

/** Stores three notes. `restore` checks that no note is printed. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "tonado-paper-" });
  const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" };
  const notes: Note[] = ["1", "0.1", "12345.678901234"].map((amount) =>
    createNote({ asset: "native", amount, network: "mainnet" })
  );
  const texts = notes.map(formatNote);
  const restore = async (store: string, args: string[], person?: TerminalUser, more = {}) => {
    const own = { ...env, ...more, TONADO_NOTES: `${dir}/${store}` };
    const { code, stdout, stderr } = await runCli(["note", "restore", ...args, "--json"], own, person);
    assert.equal(code, 0, stderr);
    assert.ok(!texts.some((text) => (stdout + stderr).includes(text)));
    const shown = await runCli(["note", "show", "--reveal", "--json"], {
      ...own,
      ...env,
      TONADO_NOTES: own.TONADO_NOTES,
    });
    return JSON.parse(shown.stdout).notes.map(({ note }: { note: string }) => note);
  };
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  for (const text of texts) await restore("notes.age", [], { secrets: [text] });
  const page = `${dir}/notes.html`;
  const state = { html: "" };
  const open = stack.move();
  return { page, env, notes, restore, texts, dir, state, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado note backup --page", async (t) => {
  await using scene = await openScene();
  await exportsPage(t, scene);
  await t.step(
    "restores from the file, whatever the passphrase of the new store",
    () => restoresFromPage(scene),
  );
  await t.step(
    "without a terminal, long work is announced once, and with --quiet not at all",
    () => reportsLongWork(scene),
  );
  await t.step("at a terminal, the progress line is erased when the work ends", () => erasesProgress(scene));
  await asksForPassphrases(t, scene);
  await marksPlainPage(t, scene);
  await refusesMistakes(t, scene);
});

async function exportsPage(t: Deno.TestContext, { page, env, state, notes }: Scene): Promise<void> {
  await t.step("is one file, encrypted, which runs and loads nothing", async () => {
    const { code, stdout, stderr } = await runCli(["note", "backup", page, "--page", "--json"], env);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { file: page, notes: 3, plain: false });
    assert.equal(stderr, '{"notice":"encrypting 3 notes, about a second each"}\n');
    state.html = await Deno.readTextFile(page);
    assert.match(state.html, /Content-Security-Policy" content="default-src 'none'/);
    const without = state.html.replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    assert.doesNotMatch(without, /<script|<link|<img|<iframe|src=|href=|url\(|https?:/i);
    assert.ok(state.html.includes("2 of 3: native-0.1 on mainnet"));
    for (
      const [what, value] of [["amount", "0.1 GRAM"], ["network", "mainnet"], ["note store", "notes.age"]]
    ) {
      assert.ok(state.html.includes(`<th scope="row">${what}</th><td>${value}</td>`), what);
    }
    assert.match(state.html, /does not contain the seed, so it does not cover notes that\s+you create later/);
    assert.match(state.html, /@page \{ margin: [\d.]+cm; \}/);
  });

  await t.step("shows no secret of a note and no nullifier hash", () => {
    for (const note of notes) {
      for (
        const secret of [
          note.nullifier.toString(16),
          note.secret.toString(16),
          fieldToHex(note.nullifierHash),
        ]
      ) {
        assert.ok(!state.html.includes(secret));
      }
      assert.ok(!state.html.includes(noteId(note)));
    }
  });

  await t.step("each QR code contains the text beside it", () => {
    assert.deepEqual(decodeQrCodes(state.html), findPaperCodes(state.html));
    assert.equal(findPaperCodes(state.html).length, 3);
  });
}

async function restoresFromPage({ restore, page, texts, env }: Scene): Promise<void> {
  assert.deepEqual(await restore("file.age", [page]), texts);
  const known = await runCli(["note", "restore", page, "--json"], env);
  assert.deepEqual(JSON.parse(known.stdout), { found: 3, added: 0 });
  assert.equal(known.stderr, '{"notice":"decrypting 3 notes, about a second each"}\n');
}

async function erasesProgress({ page, env, dir }: Scene): Promise<void> {
  const works: [string[], string][] = [
    [["note", "backup", `${dir}/terminal.html`, "--page"], "encrypting"],
    [["note", "restore", page], "decrypting"],
  ];
  for (const [args, what] of works) {
    const { code, stderr } = await runCli(args, env, { seesProgress: true });
    assert.equal(code, 0, stderr);
    assert.ok(stderr.includes(`${what} 3 notes`) && stderr.endsWith("\r\x1b[K"), stderr);
  }
}

async function reportsLongWork({ dir, page, env }: Scene): Promise<void> {
  const works: [string[], string][] = [
    [["note", "backup", `${dir}/again.html`, "--page"], "encrypting"],
    [["note", "restore", page], "decrypting"],
  ];
  for (const [args, what] of works) {
    const { stderr } = await runCli(args, env);
    assert.equal(stderr, `${what} 3 notes, about a second each\n`);
    if (what === "encrypting") await Deno.remove(args[2]);
    assert.equal((await runCli([...args, "--quiet"], env)).stderr, "");
  }
}

async function asksForPassphrases(
  t: Deno.TestContext,
  { state, restore, texts, page, dir }: Scene,
): Promise<void> {
  await t.step("restores one note from a scanned code with text around it", async () => {
    const [, code] = decodeQrCodes(state.html);
    const person = { secrets: [` scanned: ${code}\n`] };
    assert.deepEqual(await restore("scanned.age", [], person), [texts[1]]);
  });

  await t.step("asks for the passphrase if none is set", async () => {
    const { code, stderr, prompts } = await runCli(
      ["note", "restore", page],
      { TONADO_NOTES: `${dir}/asked.age` },
      { secrets: ["correct horse battery", "another passphrase", "another passphrase"] },
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(prompts, [
      `Passphrase of ${page}`,
      `New passphrase for ${dir}/asked.age (at least 10 characters)`,
      "Repeat passphrase",
    ]);
  });

  await t.step("asks up to three times for a new passphrase that is too short or mistyped", async () => {
    const env = { TONADO_NOTES: `${dir}/again.age` };
    const good = "another passphrase";
    const secrets = ["correct horse battery", "short", good, "anothr passphrase", good, good];
    const { code, stderr } = await runCli(["note", "restore", page, "--quiet"], env, { secrets });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /must have 10 characters or more\. Try again\./);
    assert.match(stderr, /was not the same both times\. Try again\./);
  });
}

async function marksPlainPage(
  t: Deno.TestContext,
  { page, env, dir, texts, restore }: Scene,
): Promise<void> {
  await t.step("names --registry in the hint where the release lists no such pool", async () => {
    const { code, stdout, stderr } = await runCli(["note", "restore", page], env);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /tonado note check --network mainnet --registry <file>/);
  });

  await t.step(
    "--plain warns on the page and on the screen, and is restored without a passphrase",
    async () => {
      const plain = `${dir}/plain.html`;
      const { code, stderr } = await runCli(["note", "backup", plain, "--page", "--plain"], env);
      assert.equal(code, 0);
      assert.match(stderr, /warning: anyone who sees this page or the file can take the money/);
      const shown = await Deno.readTextFile(plain);
      assert.match(shown, /class="warning">These notes are not encrypted/);
      assert.deepEqual(decodeQrCodes(shown), texts);
      assert.deepEqual(await restore("plain.age", [plain]), texts);
    },
  );
}

async function refusesMistakes(t: Deno.TestContext, { state, dir, env, page, texts }: Scene): Promise<void> {
  const [first] = findPaperCodes(state.html);
  await Deno.writeFile(`${dir}/cut.age`, (await Deno.readFile(env.TONADO_NOTES)).slice(0, -60));
  const mistakes: [string, string[], Record<string, string>, TerminalUser | undefined, number, RegExp][] = [
    ["--plain without --page", ["backup", `${dir}/x`, "--plain"], {}, undefined, 2, /is for --page only/],
    [
      "a page that already exists",
      ["backup", page, "--page"],
      {},
      undefined,
      2,
      /already exists and is not replaced\nChoose a new file name/,
    ],
    [
      "no backup",
      ["restore", "/etc/passwd"],
      {},
      undefined,
      2,
      /\/etc\/passwd is neither a backup.*\nName the file/,
    ],
    [
      "a backup cut off",
      ["restore", `${dir}/cut.age`],
      {},
      undefined,
      1,
      /cut\.age is incomplete or .*\nUse another copy/,
    ],
    [
      "another passphrase",
      ["restore", page],
      { TONADO_PASSPHRASE: "wrong horse battery" },
      undefined,
      1,
      /the passphrase does not open this code \[wrong_passphrase\]/,
    ],
    ["a code cut off", ["restore"], {}, { secrets: [first.slice(0, -40)] }, 1, /incomplete or misread/],
    [
      "a code misread",
      ["restore"],
      {},
      { secrets: [first.slice(0, -20) + (first.at(-20) === "A" ? "B" : "A") + first.slice(-19)] },
      1,
      /incomplete or misread/,
    ],
    ["a note cut off", ["restore"], {}, { secrets: [texts[0].slice(0, -1)] }, 1, /invalid_note/],
  ];
  for (const [mistake, args, more, person, status, message] of mistakes) {
    await t.step(`${mistake} is reported, and nothing is added`, async () => {
      const { code, stderr } = await runCli(["note", ...args], { ...env, ...more }, person);
      assert.match(stderr, message);
      assert.equal(code, status);
      const shown = await runCli(["note", "show", "--json"], env);
      assert.equal(JSON.parse(shown.stdout).notes.length, 3);
    });
  }
}
