/** How commands come to the note store: its flag, its passphrase, and the question for it. */
import { type Command, Option } from "commander";
import { clientSettings } from "../config/client_settings.ts";
import { loadNotes, SHORTEST_PASSPHRASE } from "../config/client_config.ts";
import { Problem } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";
import type { NoteStore } from "../client/note_store.ts";
import { misuse } from "./misuse.ts";
import { colours } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** Values of {@linkcode addNoteOptions}. */
export interface NoteOptions {
  readonly notes?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds the flag that says where notes are. */
export function addNotesOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--notes <file>",
      `the note store; default: ${clientSettings.notes.name}, or ~/.tonado/notes.age`,
    ),
  );
}

/** Adds all flags of a command that works on the store alone. */
export function addNoteOptions(command: Command): Command {
  return addNotesOption(command).option("--json", "print JSON")
    .option("--quiet", "print only what must be known");
}

/**
 * Opens the store.
 *
 * @param create makes one when there is none, with the passphrase asked for twice
 * @throws {Problem} `unknown_note` when there is no store and none is to be made, `invalid_config` without a passphrase
 */
export async function openNotes(
  wiring: Wiring,
  options: NoteOptions,
  { create = false }: { create?: boolean } = {},
): Promise<NoteStore> {
  const { path, passphrase } = loadNotes(options, wiring.env);
  const file = wiring.notes(path);
  if (await file.exists()) {
    return await file.open(passphrase ?? await ask(wiring, `Passphrase of ${path}`));
  }
  if (!create) {
    throw new Problem("unknown_note", `there is no note store at ${path}`, {
      todo: `Name it with --notes or ${clientSettings.notes.name}, make the first note with ` +
        "`tonado deposit <pool>`, or bring a backup in with `tonado note restore <file>`.",
    });
  }
  const chosen = passphrase ?? await choose(wiring, path);
  if (chosen.reveal().length < SHORTEST_PASSPHRASE) {
    throw misuse("passphrase", `must have ${SHORTEST_PASSPHRASE} characters or more`);
  }
  const store = await file.open(chosen);
  wiring.stderr.write( // also with --quiet: nobody can be told later
    `${colours(wiring.stderr, wiring.env).bold("new note store")} at ${path}: ` +
      "without its passphrase nobody can ever open it, you included\n",
  );
  return store;
}

async function choose(wiring: Wiring, path: string): Promise<Secret<string>> {
  const first = await ask(wiring, `New passphrase for ${path}`);
  const second = await ask(wiring, "The same once more");
  if (first.reveal() !== second.reveal()) throw misuse("passphrase", "the two were not the same");
  return first;
}

async function ask(wiring: Wiring, question: string): Promise<Secret<string>> {
  const { passphraseFile } = clientSettings;
  const answer = await wiring.askSecret(question);
  if (answer) return answer;
  throw misuse(
    passphraseFile.name,
    "is required, and there is no terminal to ask at: set it to a file that holds the passphrase",
  );
}
