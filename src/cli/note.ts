/** `tonado note`: makes notes, tells where they stand, and brings them into safety and back. */
import { Command } from "commander";
import { checkNotes, type NoteStanding } from "../client/note_check.ts";
import { paidOut } from "../client/note_payment.ts";
import { findNote, newRecord, type NoteRecord } from "../client/note_store.ts";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { poolKey } from "../core/deployments.ts";
import { toHex } from "../core/field.ts";
import { createNote, formatNote } from "../core/note.ts";
import { counted } from "../core/units.ts";
import { addChainOptions, type ChainOptions, sameFlags } from "./chain_options.ts";
import { poolsOf, unknownKey } from "./note_pools.ts";
import { addNoteOptions, addNotesOption, type NoteOptions, openNotes } from "./note_access.ts";
import { type BeforeNote, noteOn, notesOf, onlyNetwork, onNetwork } from "./note_network.ts";
import { type BackupOptions, noteBackup, noteRestore } from "./note_files.ts";
import { colours, isoSeconds, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

type CheckOptions = ChainOptions & NoteOptions;

/** The command and its five. */
export function noteCommand(wiring: Wiring): Command {
  const create = addNotesOption(addChainOptions(new Command("create")))
    .description("make a note for a pool and keep it; nothing is sent")
    .argument("<pool>", "key of the registry, like native-10")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado note create native-10\n  tonado deposit --note $(tonado note create native-10 --quiet)",
    )
    .action((pool: string, options: CheckOptions) => createOne(wiring, pool, options));
  const show = addNoteOptions(new Command("show"))
    .description("list the notes that are kept, as they were last known; nobody is asked")
    .argument("[note]", "first digits of its id; default: all")
    .option("--reveal", "print the note itself: whoever reads it can take the money")
    .addHelpText("after", "\nExamples:\n  tonado note show\n  tonado note show 2f81 --reveal")
    .action((id: string | undefined, options: NoteOptions & { reveal?: boolean }) =>
      showNotes(wiring, id, options)
    );
  const check = addNotesOption(addChainOptions(new Command("check"), { networkOf: "the note's" }))
    .description("where the notes stand, and how large the crowd is that each hides in")
    .argument("[note]", "first digits of its id; default: all notes")
    .addHelpText(
      "after",
      "\nThe pools' whole history is read and searched here: nobody is told which notes are yours.\n\n" +
        "Examples:\n  tonado note check\n  tonado note check 2f81 --json | jq '.notes[0].since'",
    )
    .action((id: string | undefined, options: BeforeNote<CheckOptions>) => check_(wiring, id, options));
  const backup = addNoteOptions(new Command("backup"))
    .description("write all notes into a new file, or onto a page for paper, under the same passphrase")
    .argument("<file>")
    .option("--page", "one HTML file to print: a QR code and its text for each note that is not withdrawn")
    .option("--plain", "with --page: not encrypted; whoever sees the page can take the money")
    .addHelpText(
      "after",
      "\nThe page shows the pool of each note and nothing that finds it on the chain.\n\n" +
        "Examples:\n  tonado note backup /media/stick/notes.age\n  tonado note backup notes.html --page",
    )
    .action((file: string, options: BackupOptions) => noteBackup(wiring, file, options));
  const restore = addNoteOptions(new Command("restore"))
    .description("add the notes of a backup, a page, or one that you type in, to the store")
    .argument("[file]", "a backup, a page, or the text of its codes; default: you are asked for one")
    .addHelpText(
      "after",
      "\nNotes that are there already stay as they are. `note check` tells then where each stands.\n" +
        "What a phone reads from a page's code can be pasted at the question.\n\n" +
        "Examples:\n  tonado note restore /media/stick/notes.age\n  tonado note restore notes.html\n" +
        "  tonado note restore",
    )
    .action((file: string | undefined, options: NoteOptions) => noteRestore(wiring, file, options));
  const command = new Command("note").description("make, keep, check and back up notes");
  for (const each of [create, show, check, backup, restore]) command.addCommand(each);
  return command.addHelpText("after", "\nExamples:\n  tonado note show\n  tonado note check");
}

async function createOne(wiring: Wiring, key: string, options: CheckOptions): Promise<void> {
  const { network, pools } = await findRegistry(options.network, options.registry);
  const pool = pools.get(key);
  if (!pool) throw unknownKey(key, pools.keys());
  const store = await openNotes(wiring, options, { create: true });
  const { asset, amount, address } = pool;
  const text = formatNote(createNote({ asset, amount, network }));
  const record = { ...newRecord(text, wiring.now()), pool: address.toRawString() };
  await store.add([record]);
  if (options.json) return wiring.stdout.write(JSON.stringify(publicFacts(record)) + "\n");
  if (options.quiet) return wiring.stdout.write(`${record.id}\n`);
  wiring.stdout.write(
    `note ${colours(wiring.stdout, wiring.env).bold(record.id)} for ${key} on ${network}\n\n` +
      `Fill it: tonado deposit --note ${record.id} ${sameFlags(options)}\n`,
  );
}

/** What may be printed of a note. The nullifier hash is not: beside the commitment it would link the two. */
export function publicFacts({ id, note, state, createdAt, pool, deposit, withdrawal }: NoteRecord) {
  const { asset, amount, network, commitment } = note.reveal();
  return {
    id,
    state,
    network,
    pool: poolKey({ asset, amount }),
    ...pool === undefined ? {} : { poolAddress: pool },
    commitment: toHex(commitment),
    createdAt: new Date(createdAt).toISOString(),
    ...deposit?.leafIndex === undefined ? {} : { leafIndex: deposit.leafIndex },
    ...deposit?.timestamp === undefined ? {} : { depositedAt: isoSeconds(deposit.timestamp) },
    ...withdrawal && { recipient: withdrawal.recipient, relayer: withdrawal.relayer ?? null },
  };
}

async function showNotes(
  wiring: Wiring,
  id: string | undefined,
  options: NoteOptions & { reveal?: boolean },
): Promise<void> {
  const { stdout, env } = wiring;
  const records = await (await openNotes(wiring, options)).list();
  const chosen = id === undefined ? records : [findNote(records, id)];
  if (options.json) {
    const notes = chosen.map((each) => ({
      ...publicFacts(each),
      ...options.reveal && { note: each.text.reveal() },
    }));
    return stdout.write(JSON.stringify({ notes }) + "\n");
  }
  const c = colours(stdout, env);
  if (chosen.length === 0 && !options.quiet) {
    stdout.write("no notes yet; make one: tonado deposit <pool>; `tonado pool list` names the pools\n");
  }
  for (const record of chosen) {
    const { id, state, network, pool, createdAt } = publicFacts(record);
    const line = `${c.bold(id)}  ${state.padEnd(11)} ${pool.padEnd(12)} ${network}  ${
      createdAt.slice(0, 10)
    }`;
    stdout.write(options.quiet ? `${id}\n` : `${line}\n`);
    if (options.reveal) stdout.write(`${record.text.reveal()}\n`);
  }
}

async function check_(
  wiring: Wiring,
  id: string | undefined,
  given: BeforeNote<CheckOptions>,
): Promise<void> {
  const store = await openNotes(wiring, given);
  const all = await store.list();
  const chosen = id === undefined ? notesOf(all, given.network) : [noteOn(all, id, given.network)];
  const network = given.network ?? onlyNetwork(chosen) ?? "testnet";
  const options = onNetwork<CheckOptions>(given, network);
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(network, options.registry);
  const chain = wiring.connect(options.network, { url, apiKey });
  const progress = progressLine(wiring.stderr);
  const standings = new Map<string, NoteStanding & { readonly key: string; readonly address: string }>();
  const places = chosen.flatMap((record) =>
    poolsOf(record, known).map(([key, pool]) => ({ key, pool, record }))
  );
  try {
    for (const [key, here] of Map.groupBy(places, ({ key }) => key)) {
      const { address } = here[0].pool;
      const notes = here.map(({ record }) => record);
      const found = await checkNotes(chain, address, notes.map(({ note }) => note.reveal()), {
        onProgress: (seen) =>
          !options.quiet && progress.update(`${counted(seen, "transaction")} of ${key} read`, 0),
      });
      for (const [i, standing] of found.entries()) {
        if (standing.state === "absent" && standings.has(notes[i].id)) continue;
        standings.set(notes[i].id, { ...standing, key, address: address.toRawString() });
      }
    }
  } finally {
    progress.clear();
  }
  const updated = [];
  for (const record of chosen) {
    const { key, address, payment, ...standing } = standings.get(record.id)!;
    const pool = standing.state === "absent" ? record.pool : address;
    const facts = publicFacts(await remember(store, record, { ...standing, payment, pool }));
    updated.push({ ...standing, ...isoTimes(standing), ...facts, pool: key });
  }
  if (options.json) return wiring.stdout.write(JSON.stringify({ network, notes: updated }) + "\n");
  const c = colours(wiring.stdout, wiring.env);
  if (updated.length === 0 && !options.quiet) wiring.stdout.write(`no notes of ${network}\n`);
  for (const { id, pool, state, deposits, since, withdrawalsSince } of updated) {
    const crowd = state === "created" || state === "depositing"
      ? `not in the pool; ${counted(deposits, "deposit")} ${deposits === 1 ? "is" : "are"}`
      : `one of ${counted(deposits, "deposit")}, ${since} after it; ${
        counted(withdrawalsSince ?? 0, "withdrawal")
      } since`;
    const stands = `${c.bold(id)}  ${state.padEnd(11)} `;
    wiring.stdout.write(options.quiet ? `${stands}${pool}\n` : `${stands}${pool.padEnd(12)} ${crowd}\n`);
  }
}

/** The times of a standing in the format of every other time in the output. */
function isoTimes({ depositedAt, withdrawnAt }: Pick<NoteStanding, "depositedAt" | "withdrawnAt">) {
  return {
    ...depositedAt === undefined ? {} : { depositedAt: isoSeconds(depositedAt) },
    ...withdrawnAt === undefined ? {} : { withdrawnAt: isoSeconds(withdrawnAt) },
  };
}

/** What the chain said goes into the store. */
async function remember(
  store: Awaited<ReturnType<typeof openNotes>>,
  record: NoteRecord,
  { state, leafIndex, depositor, depositedAt, payment, pool }: NoteStanding & { readonly pool?: string },
): Promise<NoteRecord> {
  const now = state === "absent"
    ? record.state
    : state === "deposited" && record.state === "withdrawing"
    ? "withdrawing"
    : state;
  const { leafIndex: known, from } = record.deposit ?? {};
  const same = known === leafIndex && (leafIndex === undefined || from === depositor);
  const { recipient } = record.withdrawal ?? {};
  const paid = !payment || recipient === undefined || recipient === payment.recipient.toRawString();
  if (now === record.state && same && paid && record.pool === pool) return record;
  const deposit = leafIndex === undefined
    ? {}
    : { deposit: { from: depositor, leafIndex, timestamp: depositedAt } };
  const change = { state: now, ...pool === undefined ? {} : { pool }, ...deposit };
  return await store.update(record.id, { ...change, ...payment && paidOut(record, payment) });
}
