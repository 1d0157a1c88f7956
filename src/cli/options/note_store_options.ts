import { type Command, Option } from "commander";
import { clientSettings } from "../../config/settings/client_settings.ts";
import { loadNoteStoreConfig, MIN_PASSPHRASE_LENGTH } from "../../config/client_config.ts";
import { Problem } from "../../core/errors/problem.ts";
import { composePassphrase, isEnterable, UNENTERABLE } from "../../core/text/passphrase.ts";
import type { Secret } from "../../core/text/secret.ts";
import type { NoteStore } from "../../client/notes/note_store.ts";
import { usageError } from "./usage_error.ts";
import { colours } from "../output/progress.ts";
import type { CliContext } from "../context.ts";
import { addOutputOptions, type OutputOptions } from "../output/print.ts";

export interface NoteStoreOptions extends OutputOptions {
  readonly notes?: string;
}

export function addNoteStorePathOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--notes <file>",
      `the note store; default: ${clientSettings.notes.name}, or ~/.tonado/notes.age`,
    ),
  );
}

export function addNoteStoreOptions(command: Command): Command {
  return addOutputOptions(addNoteStorePathOption(command));
}

/** Throws `unknown_note` without a store, `invalid_config` without a passphrase. */
export async function openNoteStore(
  context: CliContext,
  options: NoteStoreOptions,
  { create = false }: { create?: boolean } = {},
): Promise<NoteStore> {
  const { path, passphrase } = loadNoteStoreConfig(options, context.env);
  const file = context.noteStoreAt(path);
  if (await file.exists()) {
    return await file.open(passphrase ?? await promptPassphrase(context, `Passphrase of ${path}`));
  }
  if (!create) {
    throw new Problem("unknown_note", `there is no note store at ${path}`, {
      hint: `Name it with --notes or ${clientSettings.notes.name}, create the first note with ` +
        "`tonado deposit <pool>`, or restore a backup with `tonado note restore <file>`.",
    });
  }
  const chosen = passphrase ?? await promptNewPassphrase(context, path);
  const fault = findPassphraseFault(chosen);
  if (fault) throw usageError("passphrase", fault);
  const store = await file.open(chosen);
  context.stderr.write( // also with --quiet: it is not shown again
    `${colours(context.stderr, context.env).bold("new note store")} at ${path}\n` +
      "If you lose its passphrase, you lose its notes.\n",
  );
  return store;
}

const MAX_PASSPHRASE_ATTEMPTS = 3;

async function promptNewPassphrase(context: CliContext, path: string): Promise<Secret<string>> {
  const question = `New passphrase for ${path} (at least ${MIN_PASSPHRASE_LENGTH} characters)`;
  for (let attempt = 1;; attempt++) {
    const first = await promptPassphrase(context, question);
    const fault = findPassphraseFault(first) ?? await findRepeatFault(context, first);
    if (!fault) return first;
    if (attempt === MAX_PASSPHRASE_ATTEMPTS) throw usageError("passphrase", fault);
    context.stderr.write(`The passphrase ${fault}. Try again.\n`);
  }
}

function findPassphraseFault(passphrase: Secret<string>): string | undefined {
  if (composePassphrase(passphrase.reveal()).length < MIN_PASSPHRASE_LENGTH) {
    return `must have ${MIN_PASSPHRASE_LENGTH} characters or more`;
  }
  return isEnterable(passphrase.reveal()) ? undefined : UNENTERABLE;
}

async function findRepeatFault(context: CliContext, first: Secret<string>): Promise<string | undefined> {
  const second = await promptPassphrase(context, "Repeat passphrase");
  const [one, other] = [first, second].map((each) => composePassphrase(each.reveal()));
  return one === other ? undefined : "was not the same both times";
}

async function promptPassphrase(context: CliContext, question: string): Promise<Secret<string>> {
  const { passphraseFile } = clientSettings;
  const answer = await context.promptSecret(question);
  if (answer) return answer;
  throw usageError(
    passphraseFile.name,
    "is required, because standard input is not a terminal: set it to a file that holds the passphrase",
  );
}
