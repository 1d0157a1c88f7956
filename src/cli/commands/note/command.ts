import { Command } from "commander";
import { checkNotes, type NoteStatus } from "../../../client/notes/note_check.ts";
import { findNote } from "../../../client/notes/note_store.ts";
import { findRegistry } from "../../../config/deployments_registry.ts";
import { pluralize } from "../../../core/protocol/units.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatChainFlags,
  openChain,
} from "../../options/chain_options.ts";
import { deriveNextNote } from "../../../client/notes/derived_record.ts";
import { candidatePools, findDeployment } from "../../options/note_pools.ts";
import {
  addNoteStoreOptions,
  addNoteStorePathOption,
  type NoteStoreOptions,
  openNoteStore,
} from "../../options/note_store_options.ts";
import {
  commonNetwork,
  filterNotesByNetwork,
  findNoteOnNetwork,
  withNetwork,
  type WithOptionalNetwork,
} from "../../options/note_network.ts";
import { backupNotes, type BackupOptions, restoreNotes } from "./backup.ts";
import { recoverCommand } from "./recover.ts";
import { seedCommand } from "./seed.ts";
import { saveStanding, toIsoTimes, toPublicFacts } from "./standing.ts";
import { sharedNullifierFacts, warnOfSharedNullifiers } from "../../output/note_warnings.ts";
import { withProgressLine, writeJson } from "../../output/print.ts";
import { colours } from "../../output/progress.ts";
import type { CliContext } from "../../context.ts";

type NoteCommandOptions = ChainOptions & NoteStoreOptions;

export function noteCommand(context: CliContext): Command {
  const create = addNoteStorePathOption(addChainOptions(new Command("create")))
    .description("derive the next note of a pool from the seed and store it; nothing is sent")
    .argument("<pool>", "key of the registry, like native-10")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado note create native-10\n  tonado deposit --note $(tonado note create native-10 --quiet)",
    )
    .action((pool: string, options: NoteCommandOptions) => createStoredNote(context, pool, options));
  const show = addNoteStoreOptions(new Command("show"))
    .description("list the stored notes and their last known state, without network access")
    .argument("[note]", "first digits of its id; default: all")
    .option("--reveal", "print the secret note itself: anyone who reads it can take the money")
    .addHelpText("after", "\nExamples:\n  tonado note show\n  tonado note show 2f81 --reveal")
    .action((id: string | undefined, options: NoteStoreOptions & { reveal?: boolean }) =>
      showNotes(context, id, options)
    );
  const check = addNoteStorePathOption(addChainOptions(new Command("check"), { networkOf: "the note's" }))
    .description("check the state of notes on chain, and how many deposits each hides among")
    .argument("[note]", "first digits of its id; default: all notes")
    .addHelpText(
      "after",
      "\nReads the pools' whole history and searches it locally, so no server learns which notes are yours.\n\n" +
        "Examples:\n  tonado note check\n  tonado note check 2f81 --json | jq '.notes[0].since'",
    )
    .action((id: string | undefined, options: WithOptionalNetwork<NoteCommandOptions>) =>
      checkStoredNotes(context, id, options)
    );
  const backup = addNoteStoreOptions(new Command("backup"))
    .description("write all notes to a new file or a printable page, encrypted with the same passphrase")
    .argument("<file>")
    .option("--page", "one HTML file to print: a QR code and its text for each note that is not withdrawn")
    .option("--plain", "with --page: do not encrypt it; anyone who sees the page can take the money")
    .addHelpText(
      "after",
      "\nThe file also contains the seed. The page does not, so it does not cover later notes. It shows each note's pool,\n" +
        "but nothing that identifies the note on chain.\n\n" +
        "Examples:\n  tonado note backup /media/stick/notes.age\n  tonado note backup notes.html --page",
    )
    .action((file: string, options: BackupOptions) => backupNotes(context, file, options));
  const restore = addNoteStoreOptions(new Command("restore"))
    .description("add notes from a backup, a printed page or the keyboard to the store")
    .argument("[file]", "a backup, a page, or the text of its codes; default: prompt for a note")
    .addHelpText(
      "after",
      "\nNotes that are already stored do not change. Run `note check` afterwards to update their state.\n" +
        "You can paste the text that a phone scans from a QR code at the prompt.\n\n" +
        "Examples:\n  tonado note restore /media/stick/notes.age\n  tonado note restore notes.html\n" +
        "  tonado note restore",
    )
    .action((file: string | undefined, options: NoteStoreOptions) => restoreNotes(context, file, options));
  const command = new Command("note").description("create, list, check, back up and recover notes");
  const [seed, recover] = [seedCommand(context), recoverCommand(context)];
  for (const each of [create, show, check, backup, restore, seed, recover]) command.addCommand(each);
  return command.addHelpText("after", "\nExamples:\n  tonado note show\n  tonado note check");
}

async function createStoredNote(
  context: CliContext,
  key: string,
  options: NoteCommandOptions,
): Promise<void> {
  const registry = await findRegistry(options.network, options.registry);
  const pool = findDeployment(key, registry);
  const store = await openNoteStore(context, options, { create: true });
  const request = { network: registry.network, pool, now: context.now() };
  const record = await store.addDerived((seed, records) => deriveNextNote(seed, records, request));
  if (options.json) return writeJson(context, toPublicFacts(record));
  if (options.quiet) return context.stdout.write(`${record.id}\n`);
  context.stdout.write(
    `note ${colours(context.stdout, context.env).bold(record.id)} for ${key} on ${registry.network}\n\n` +
      `Deposit it: tonado deposit --note ${record.id} ${formatChainFlags(options)}\n`,
  );
}

async function showNotes(
  context: CliContext,
  id: string | undefined,
  options: NoteStoreOptions & { reveal?: boolean },
): Promise<void> {
  const { stdout, env } = context;
  const records = await (await openNoteStore(context, options)).list();
  const chosen = id === undefined ? records : [findNote(records, id)];
  warnOfSharedNullifiers(context, records, chosen);
  if (options.json) {
    const shared = sharedNullifierFacts(records);
    const notes = chosen.map((each) => ({
      ...toPublicFacts(each),
      ...shared.get(each.id),
      ...options.reveal && { note: each.text.reveal() },
    }));
    return writeJson(context, { notes });
  }
  const c = colours(stdout, env);
  if (chosen.length === 0 && !options.quiet) {
    stdout.write(
      "No notes yet. Create one with `tonado deposit <pool>`; `tonado pool list` lists the pools.\n",
    );
  }
  for (const record of chosen) {
    const { id, state, network, pool, createdAt } = toPublicFacts(record);
    const facts = `${state.padEnd(11)} ${pool.padEnd(12)} ${network}  ${createdAt.slice(0, 10)}`;
    stdout.write(options.quiet ? `${id}\n` : `${c.bold(id)}  ${facts}\n`);
    if (options.reveal) stdout.write(`${record.text.reveal()}\n`);
  }
}

async function checkStoredNotes(
  context: CliContext,
  id: string | undefined,
  given: WithOptionalNetwork<NoteCommandOptions>,
): Promise<void> {
  const store = await openNoteStore(context, given);
  const all = await store.list();
  const chosen = id === undefined
    ? filterNotesByNetwork(all, given.network)
    : [findNoteOnNetwork(all, id, given.network)];
  const network = given.network ?? commonNetwork(chosen) ?? "testnet";
  const options = withNetwork<NoteCommandOptions>(given, network);
  const { chain, registry } = await openChain(context, options);
  const standings = new Map<string, NoteStatus & { readonly key: string; readonly address: string }>();
  const places = chosen.flatMap((record) =>
    candidatePools(record, registry).map(([key, pool]) => ({ key, pool, record }))
  );
  await withProgressLine(context, options, async (progress) => {
    for (const [key, here] of Map.groupBy(places, ({ key }) => key)) {
      const { address } = here[0].pool;
      const notes = here.map(({ record }) => record);
      const found = await checkNotes(chain, address, notes.map(({ note }) => note.reveal()), {
        onProgress: (count) => progress.update(`${pluralize(count, "transaction")} of ${key} read`, 0),
      });
      for (const [i, standing] of found.entries()) {
        if (standing.state === "absent" && standings.has(notes[i].id)) continue;
        standings.set(notes[i].id, { ...standing, key, address: address.toRawString() });
      }
    }
  });
  const shared = sharedNullifierFacts(all);
  const updated = [];
  for (const record of chosen) {
    const { key, address, payment, ...standing } = standings.get(record.id)!;
    const pool = standing.state === "absent" ? record.pool : address;
    const facts = toPublicFacts(await saveStanding(store, record, { ...standing, payment, pool }));
    updated.push({ ...standing, ...toIsoTimes(standing), ...facts, pool: key, ...shared.get(record.id) });
  }
  warnOfSharedNullifiers(context, all, chosen);
  if (options.json) return writeJson(context, { network, notes: updated });
  const c = colours(context.stdout, context.env);
  if (updated.length === 0 && !options.quiet) context.stdout.write(`no notes of ${network}\n`);
  for (const { id, pool, state, deposits, since, withdrawalsSince } of updated) {
    const crowd = state === "created" || state === "depositing"
      ? `not in the pool; ${pluralize(deposits, "deposit")} ${deposits === 1 ? "is" : "are"}`
      : `one of ${pluralize(deposits, "deposit")}, ${since} after it; ${
        pluralize(withdrawalsSince ?? 0, "withdrawal")
      } since`;
    const stands = `${c.bold(id)}  ${state.padEnd(11)} `;
    context.stdout.write(options.quiet ? `${stands}${pool}\n` : `${stands}${pool.padEnd(12)} ${crowd}\n`);
  }
}
