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
    .option("--quiet", "print only essential output");
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
  const fault = passphraseFault(chosen);
  if (fault) throw misuse("passphrase", fault);
  const store = await file.open(chosen);
  wiring.stderr.write( // also with --quiet: nobody can be told later
    `${colours(wiring.stderr, wiring.env).bold("new note store")} at ${path}: ` +
      "it cannot be opened without its passphrase\n",
  );
  return store;
}

/** How often a new passphrase is asked for before the command fails. */
const MAX_ATTEMPTS = 3;

/** Asks for a new passphrase twice, and again if it is too short or the two differ. */
async function choose(wiring: Wiring, path: string): Promise<Secret<string>> {
  const question = `New passphrase for ${path} (at least ${SHORTEST_PASSPHRASE} characters)`;
  for (let attempt = 1;; attempt++) {
    const first = await ask(wiring, question);
    const fault = passphraseFault(first) ?? await repeatFault(wiring, first);
    if (!fault) return first;
    if (attempt === MAX_ATTEMPTS) throw misuse("passphrase", fault);
    wiring.stderr.write(`The passphrase ${fault}. Try again.\n`);
  }
}

function passphraseFault(passphrase: Secret<string>): string | undefined {
  if (passphrase.reveal().length >= SHORTEST_PASSPHRASE) return undefined;
  return `must have ${SHORTEST_PASSPHRASE} characters or more`;
}

async function repeatFault(wiring: Wiring, first: Secret<string>): Promise<string | undefined> {
  const second = await ask(wiring, "Repeat passphrase");
  return first.reveal() === second.reveal() ? undefined : "was not the same both times";
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
