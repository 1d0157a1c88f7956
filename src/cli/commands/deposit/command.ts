import { Command } from "commander";
import { findUnspentDeposit, recordDeposit } from "../../../client/deposit/deposit_events.ts";
import { assertListedWallet, assertOpen } from "../../../client/deposit/checks/pool_checks.ts";
import {
  addNote,
  findNullifierTwins,
  type NoteRecord,
  type NoteStore,
} from "../../../client/notes/note_store.ts";
import type { Deployments } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { openPool } from "../../../ton/pool/any_pool.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import { placeNote } from "../../../core/protocol/note.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatFlags,
  openChain,
  parseRelayerArgument,
} from "../../options/chain_options.ts";
import { DepositView, isNoteSpentError } from "../../output/payment/deposit_view.ts";
import { usageError } from "../../options/usage_error.ts";
import { findDeployment, resolveDeployment } from "../../options/note_pools.ts";
import {
  addNoteStorePathOption,
  type NoteStoreOptions,
  openNoteStore,
} from "../../options/note_store_options.ts";
import {
  filterNotesByNetwork,
  findNoteOnNetwork,
  withNetwork,
  withNetworkOfNote,
  type WithOptionalNetwork,
} from "../../options/note_network.ts";
import {
  addConnectOptions,
  type ConnectFlags,
  findConnectTarget,
  MANIFEST_HELP,
} from "../../options/connect_options.ts";
import { addPayerOptions, openPayerWallet, type PayerOptions } from "../../options/payer_options.ts";
import { type CliContext, shutdownSignal } from "../../context.ts";
import { deriveDepositedNote } from "./next_note.ts";
import { payDeposit } from "./pay.ts";
import { assertNotRetired, assertPoolOfBuild, confirmDeposit } from "./pool_checks.ts";

type DepositOptions = ChainOptions & NoteStoreOptions & PayerOptions & ConnectFlags & {
  readonly note?: string;
  readonly resume?: boolean;
  readonly qr?: string;
  readonly wait: string;
  readonly relayer?: string;
  readonly yes?: boolean;
};

export function depositCommand(context: CliContext): Command {
  const command = new Command("deposit")
    .description("deposit a note into a pool, paid by a phone's wallet or by a wallet given by its mnemonic")
    .argument("[pool]", "key of the registry, like native-10; not with --note or --resume")
    .option("--note <id>", "deposit into a stored note, or resume its deposit")
    .option("--resume", "resume an interrupted deposit")
    .option("--qr <file>", "with a phone: also write the QR code to a new SVG file")
    .option("--wait <minutes>", "with a phone: how long to wait", "30")
    .option(
      "--relayer <url>",
      "read the deposits from a relayer: faster, and verified against the chain",
      parseRelayerArgument,
    )
    .option("--yes", "do not ask for confirmation before money is sent");
  const networkOf = "the note's network, or testnet for a new note";
  return addChainOptions(addNoteStorePathOption(addConnectOptions(addPayerOptions(command))), { networkOf })
    .addHelpText(
      "after",
      "\nA native version 2 pool is paid by a plain transfer with a comment: without other flags, the command shows\n" +
        "a link and a QR code that any TON wallet can pay. Other pools are paid by a wallet that is connected with\n" +
        "--connect, or by a mnemonic. The note is stored, encrypted, before anything is sent. In a version 1\n" +
        `pool, if another deposit lands first, the command creates a new proof and tries again. ${MANIFEST_HELP}\n\n` +
        "Examples:\n  tonado deposit native-10-v2\n" +
        "  tonado deposit native-10 --connect tonkeeper --manifest https://app.example/tonconnect-manifest.json\n" +
        "  tonado deposit native-10 --network mainnet --mnemonic-file wallet.txt\n" +
        "  tonado deposit --resume",
    )
    .action((pool: string | undefined, options: WithOptionalNetwork<DepositOptions>) =>
      deposit(context, pool, options)
    );
}

async function deposit(
  context: CliContext,
  key: string | undefined,
  rawOptions: WithOptionalNetwork<DepositOptions>,
): Promise<void> {
  if (!(Number(rawOptions.wait) > 0)) throw usageError("--wait", "must be a number of minutes");
  const hasNote = rawOptions.note !== undefined || rawOptions.resume === true;
  if (key !== undefined && hasNote) throw usageError("pool", "must be omitted: the note determines it");
  const opened = hasNote ? await openNoteStore(context, rawOptions) : undefined;
  using _storedLock = await opened?.lockForWork();
  const notes = await opened?.list() ?? [];
  const stored = opened && selectNoteToDeposit(notes, rawOptions);
  if (stored?.state === "created") assertPayable(notes, stored);
  const options = stored
    ? withNetworkOfNote<DepositOptions>(rawOptions, stored)
    : withNetwork<DepositOptions>(rawOptions, rawOptions.network ?? "testnet");
  const { chain, registry } = await openChain(context, options);
  if (key === undefined && !stored) throw missingPoolError(registry);
  const target = findConnectTarget(context, options);
  const wallet = target ? undefined : await openPayerWallet(context, options, chain);
  const store = opened ?? await openNoteStore(context, options, { create: true });
  using _createdLock = opened ? undefined : await store.lockForWork();
  using qr = options.qr === undefined ? undefined : context.openOutputFile("--qr", options.qr);
  qr?.assertWritable(); // after opening the store: --qr must not name the store's file
  const deployment = stored ? resolveDeployment(stored, registry) : findDeployment(key!, registry);
  const view = new DepositView(context, options, stored?.id, { qr, resumed: stored?.state === "depositing" });
  const pool = openPool(chain, deployment.address, deployment.version);
  const known = stored?.deposit?.leafIndex;
  if (stored && known !== undefined) {
    const placed = placeNote(stored.note.reveal(), known);
    await findUnspentDeposit(chain, pool, placed).catch((error) =>
      markWithdrawnIfSpent(store, stored, error)
    );
    return view.showAlreadyDeposited(known);
  }
  assertNotRetired(deployment, stored);
  await assertPoolOfBuild(chain, deployment, options);
  if (!stored) await assertOpen(pool); // before a note is made; a stored one may be in the pool already
  assertListedWallet(deployment, { info: await pool.getPoolInfo() });
  await confirmDeposit(context, options, { deployment, wallet, connects: target !== undefined }, view);
  const deposit = wallet ? { from: wallet.address.toRawString() } : {};
  const update: Partial<NoteRecord> = {
    state: "depositing",
    pool: deployment.address.toRawString(),
    deposit,
  };
  const fresh = stored
    ? undefined
    : await deriveDepositedNote(context, options, { chain, pool, deployment, store });
  // Without the stored note, the deposit would be lost.
  const record = await addNote(store, stored ?? fresh!.record);
  await store.update(record.id, update);
  view.showStored(record.id, key !== undefined);

  const { leaves } = fresh ?? {};
  const payment = { chain, pool, record, deployment, wallet, view, leaves, signal: shutdownSignal(context) };
  await payAndRecord(context, options, { target, store, payment });
}

async function payAndRecord(
  context: CliContext,
  options: DepositOptions,
  { target, store, payment }: Parameters<typeof payDeposit>[2],
): Promise<void> {
  const { record, view, pool } = payment;
  try {
    const result = await payDeposit(context, options, { target, store, payment });
    await recordDeposit(store, record.id, result);
    view.showDeposited(result, pool instanceof V2Pool);
  } catch (error) {
    view.showNextSteps(error);
    return await markWithdrawnIfSpent(store, record, error);
  }
}

async function markWithdrawnIfSpent(store: NoteStore, { id }: NoteRecord, error: unknown): Promise<never> {
  if (isNoteSpentError(error)) await store.update(id, { state: "withdrawn" });
  throw error;
}

/** Only one note of a nullifier can be paid, so a second deposit with it would be lost. */
function assertPayable(records: readonly NoteRecord[], record: NoteRecord): void {
  const paid = findNullifierTwins(records).get(record.id)?.find(({ state }) => state !== "created");
  if (paid === undefined) return;
  throw new Problem(
    "nullifier_already_used",
    `note ${record.id} has the same nullifier as note ${paid.id}, which is ${paid.state}: ` +
      "only one of them can ever be paid",
    { hint: "Deposit another note: `tonado deposit <pool>` creates one. Nothing was sent." },
  );
}

function selectNoteToDeposit(
  records: readonly NoteRecord[],
  { note, network }: Pick<WithOptionalNetwork<DepositOptions>, "note" | "network">,
): NoteRecord {
  if (note !== undefined) return findNoteOnNetwork(records, note, network);
  const interrupted = filterNotesByNetwork(records, network).filter(({ state }) => state === "depositing");
  if (interrupted.length === 1) return interrupted[0];
  const ids = interrupted.map(({ id }) => id).join(", ");
  throw interrupted.length === 0
    ? new Problem("unknown_note", `no deposit${network ? ` on ${network}` : ""} was interrupted`, {
      hint: `Start one: ${["tonado deposit <pool>", formatFlags({ network })].filter(Boolean).join(" ")}`,
    })
    : new Problem("unknown_note", "several deposits were interrupted", {
      hint: `Choose one with --note: ${ids}`,
    });
}

function missingPoolError({ network, pools }: Deployments): Problem {
  if (pools.size > 0) return usageError("pool", `is required, one of ${[...pools.keys()].join(", ")}`);
  return usageError(
    "pool",
    `is required, but the registry has no pools on ${network}: choose another --network or --registry`,
  );
}
