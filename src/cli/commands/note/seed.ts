import { Command } from "commander";
import { renderSVG, renderUnicodeCompact } from "uqr";
import type { NoteStore } from "../../../client/notes/note_store.ts";
import { formatNoteSeed, type NoteSeed, parseNoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { CliContext } from "../../context.ts";
import {
  addNoteStoreOptions,
  type NoteStoreOptions,
  openNoteStore,
} from "../../options/note_store_options.ts";
import { usageError } from "../../options/usage_error.ts";
import { printResult, printWarning, writeJson } from "../../output/print.ts";
import { readTextFile } from "../../output/system_errors.ts";

const TERMINAL_QR_BORDER_MODULES = 1; // a wider border does not fit into 80 columns
const FILE_QR_BORDER_MODULES = 4;
/** The maximum size of a file with a seed; a longer file is something else. */
const MAX_SEED_FILE_BYTES = 4_000;

type ShowSeedOptions = NoteStoreOptions & { readonly qr?: string };

export function seedCommand(context: CliContext): Command {
  const show = addNoteStoreOptions(new Command("show"))
    .description(
      "print the seed, from which all its notes can be recovered: anyone who reads it can take the money",
    )
    .option("--qr <file>", "also write it as a QR code to a new SVG file")
    .addHelpText(
      "after",
      "\nA store without a seed gets one. Write the seed down on paper and keep it apart from this device.\n\n" +
        "Examples:\n  tonado note seed show\n  tonado note seed show --qr seed.svg",
    )
    .action((options: ShowSeedOptions) => showSeed(context, options));
  const restore = addNoteStoreOptions(new Command("restore"))
    .description("store a seed that was written down, so that `tonado note recover` finds its notes")
    .argument("[file]", "a text file with the seed; default: prompt for it")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado note seed restore\n  tonado note seed restore /media/stick/seed.txt",
    )
    .action((file: string | undefined, options: NoteStoreOptions) => restoreSeed(context, file, options));
  const command = new Command("seed").description("print or restore the seed of the notes");
  for (const each of [show, restore]) command.addCommand(each);
  return command.addHelpText("after", "\nExamples:\n  tonado note seed show\n  tonado note seed restore");
}

async function showSeed(context: CliContext, options: ShowSeedOptions): Promise<void> {
  const store = await openNoteStore(context, options, { create: true });
  using qr = options.qr === undefined ? undefined : context.openOutputFile("--qr", options.qr);
  qr?.assertWritable();
  const text = formatNoteSeed(await store.ensureSeed()).reveal();
  qr?.write(renderSVG(text, { ecc: "M", border: FILE_QR_BORDER_MODULES }));
  if (options.json) return writeJson(context, { seed: text });
  if (options.quiet) return context.stdout.write(`${text}\n`);
  if (context.stdout.isTerminal) {
    context.stdout.write(
      `${renderUnicodeCompact(text, { ecc: "L", border: TERMINAL_QR_BORDER_MODULES })}\n\n`,
    );
  }
  context.stdout.write(`${text}\n`);
  printWarning(context, "anyone who sees this seed can take the money of all its notes");
}

async function restoreSeed(
  context: CliContext,
  file: string | undefined,
  options: NoteStoreOptions,
): Promise<void> {
  const seed = file === undefined ? await promptSeed(context) : readSeedFile(context, file);
  const store = await openNoteStore(context, options, { create: true });
  await store.restoreSeed(seed);
  printResult(context, options, { restored: true }, "seed stored. To find its notes: tonado note recover");
}

function readSeedFile(context: CliContext, file: string): NoteSeed {
  return parseNoteSeed(readTextFile(context, file, MAX_SEED_FILE_BYTES));
}

async function promptSeed(context: CliContext): Promise<NoteSeed> {
  const text = await context.promptSecret("The seed, tonado-seed-...");
  if (!text) throw usageError("file", "is required, because there is no terminal to ask for a seed at");
  return parseNoteSeed(text.reveal());
}

/** Returns the store's seed; a store without one gets the one that is typed. Throws `seed_missing` without a terminal. */
export async function seedOfStore(context: CliContext, store: NoteStore): Promise<NoteSeed> {
  const known = await store.seed();
  if (known) return known;
  const seed = await promptSeed(context);
  await store.restoreSeed(seed);
  return seed;
}
