import { Command } from "commander";
import { recoverDerivedNotes } from "../../../client/notes/derived_notes.ts";
import { type NoteStatus, type PoolHistory, readPoolHistory } from "../../../client/notes/note_check.ts";
import { addNote, type NoteRecord } from "../../../client/notes/note_store.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { pluralize } from "../../../core/protocol/units.ts";
import type { CliContext } from "../../context.ts";
import { addChainOptions, type ChainOptions, openChain } from "../../options/chain_options.ts";
import { type Note, toNoteHashes } from "../../../core/protocol/note.ts";
import { derivedRecord } from "../../../client/notes/derived_record.ts";
import {
  addNoteStorePathOption,
  type NoteStoreOptions,
  openNoteStore,
} from "../../options/note_store_options.ts";
import { withProgressLine, writeJson } from "../../output/print.ts";
import { colours } from "../../output/progress.ts";
import { seedOfStore } from "./seed.ts";
import { saveStanding, toIsoTimes, toPublicFacts } from "./standing.ts";

type RecoverOptions = ChainOptions & NoteStoreOptions;

interface RecoveredNote {
  readonly key: string;
  readonly index: number;
  readonly record: NoteRecord;
  readonly standing: NoteStatus;
}

export function recoverCommand(context: CliContext): Command {
  return addNoteStorePathOption(addChainOptions(new Command("recover")))
    .description("find every deposited note of the seed in all pools of the registry, and store it")
    .addHelpText(
      "after",
      "\nWithout a store, the command asks for the seed. It reads the whole history of each pool and searches it\n" +
        "locally, so no server learns which notes are yours. It derives notes until 100 in a row have no deposit.\n\n" +
        "Examples:\n  tonado note recover --network mainnet\n  tonado note recover --json | jq '.notes[].state'",
    )
    .action((options: RecoverOptions) => recoverNotes(context, options));
}

async function recoverNotes(context: CliContext, options: RecoverOptions): Promise<void> {
  const store = await openNoteStore(context, options, { create: true });
  using _storeLock = await store.lockForWork();
  const seed = await seedOfStore(context, store);
  const { chain, registry } = await openChain(context, options);
  const { network, pools } = registry;
  const found: RecoveredNote[] = [];
  await withProgressLine(context, options, async (progress) => {
    for (const [key, pool] of pools) {
      const history = await readPoolHistory(chain, pool.address, {
        version: pool.version,
        onProgress: (count) => progress.update(`${pluralize(count, "transaction")} of ${key} read`, 0),
      });
      const notes = recoverDerivedNotes(seed, network, pool, history.isDeposited);
      found.push(...notes.map(({ index, note }) => toRecovered(key, pool, history, index, note)));
    }
  });
  const known = new Set((await store.list()).map(({ text }) => text.reveal()));
  const notes = [];
  for (const { key, index, record, standing } of found) {
    const isNew = !known.has(record.text.reveal());
    const stored = await addNote(store, record);
    const pool = record.pool!;
    const facts = toPublicFacts(await saveStanding(store, stored, { ...standing, pool }));
    notes.push({ ...facts, ...toIsoTimes(standing), pool: key, index, isNew });
  }
  if (options.json) return writeJson(context, { network, pools: pools.size, notes });
  const c = colours(context.stdout, context.env);
  for (const { id, state, pool } of notes) {
    context.stdout.write(options.quiet ? `${id}\n` : `${c.bold(id)}  ${state.padEnd(11)} ${pool}\n`);
  }
  if (options.quiet) return;
  const added = notes.filter(({ isNew }) => isNew).length;
  const counts = `${pluralize(notes.length, "note")} found in ${pluralize(pools.size, "pool")}`;
  context.stdout.write(`${counts} of ${network}, ${added} new here\n`);
}

function toRecovered(
  key: string,
  pool: Deployment,
  history: PoolHistory,
  index: number,
  note: Note,
): RecoveredNote {
  const standing = history.statusOf(toNoteHashes(note));
  return { key, index, record: derivedRecord(note, pool, (standing.depositedAt ?? 0) * 1000), standing };
}
