/** `tonado withdraw`: a note to a fresh address, through the cheapest honest relayer, and what would give its owner away. */
import type { Address } from "@ton/core";
import { Command } from "commander";
import type { PoolJetton } from "../client/note_pool.ts";
import { patienceLeft } from "../client/follow_withdrawal.ts";
import { attempted, notePayment, paidOut } from "../client/note_payment.ts";
import { findNote, type NoteRecord, type NoteStore, type WithdrawalJournal } from "../client/note_store.ts";
import { defaultMaxFee, type RelayedRequest, withdrawThrough } from "../client/relayed_withdrawal.ts";
import { RelayerClient, type WithdrawArgs } from "../client/relayer_client.ts";
import { quoteRelayers, type RelayerQuote } from "../client/relayer_quotes.ts";
import { withdrawSelf } from "../client/self_withdrawal.ts";
import { fromChain, syncTree } from "../client/tree_sync.ts";
import { resumeWithdrawal } from "../client/withdrawal_resume.ts";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import type { Deployment } from "../core/deployments.ts";
import { Problem, type ProblemCode } from "../core/errors.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import { formatAmount, formatUnits, NATIVE_DECIMALS, parseUnits } from "../core/units.ts";
import { shownUrl } from "../core/urls.ts";
import type { Prover } from "../prover/prover.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import {
  addChainOptions,
  addressArgument,
  amountArgument,
  type ChainOptions,
  flagsOf,
  native,
  relayersArgument,
  sameFlags,
} from "./chain_options.ts";
import { deploymentOf, jettonOf } from "./deposit.ts";
import { misuse } from "./misuse.ts";
import { addNotesOption, type NoteOptions, openNotes } from "./note_access.ts";
import { type BeforeNote, noteOn, notesOf, onNetworkOf } from "./note_network.ts";
import { addPayerOptions, mustBeAskable, openPayer, payerFlags, type PayerOptions } from "./payer.ts";
import type { Wiring } from "./wiring.ts";
import { chosenRecipient, deadContracts, linksBefore, NO_RELAYER, relayersOwn } from "./withdraw_checks.ts";
import { WithdrawTalk } from "./withdraw_talk.ts";

/** Flags of the command. */
export type WithdrawOptions = ChainOptions & NoteOptions & PayerOptions & {
  readonly to?: Address;
  readonly relayer?: readonly string[];
  readonly refund: string;
  readonly maxFee?: string;
  readonly fast?: boolean;
  readonly recipientCheck: boolean;
  readonly self?: boolean;
  readonly restart?: boolean;
  readonly yes?: boolean;
};

/** Codes that the chain's word stands behind when the note is spent. */
const SPENT: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["nullifier_already_used", "contract_refused"]);
/** Milliseconds between looks; a localnet closes blocks faster. */
const POLL_MS = { mainnet: 2000, testnet: 2000, localnet: 200 } as const;

/** The command. */
export function withdrawCommand(wiring: Wiring): Command {
  const command = new Command("withdraw")
    .description("withdraw a note to a fresh address, through the cheapest of the relayers")
    .argument("[note]", "first digits of its id; default: the one withdrawal that was cut off")
    .option("--to <address>", "recipient: a new address that was never used", addressArgument)
    .option(
      "--relayer <url>",
      "a relayer; give several, each with its flag, to compare their fees",
      relayersArgument,
    )
    .option("--refund <amount>", "coins that the relayer adds, to move jettons on with", amountArgument, "0")
    .option(
      "--max-fee <amount>",
      "skip relayers with a higher fee; default with --yes: a tenth of the note",
      amountArgument,
    )
    .option("--fast", "ask the relayer for the path: it learns which deposit is yours")
    .option(
      "--no-recipient-check",
      "do not ask the endpoint whether the recipient was used, or is a contract: it learns the address before",
    )
    .option("--self", "pay the gas with your own wallet: this is public, for tests only")
    .option("--restart", "start again; the interrupted withdrawal may still pay its recipient")
    .option("--yes", "do not ask before money moves");
  return addChainOptions(addNotesOption(addPayerOptions(command)), { networkOf: "the note's" })
    .addHelpText(
      "after",
      "\nThe tree is rebuilt here and its root compared with the pool's, so that no relayer learns which deposit is\n" +
        "yours, and none can lie about it. What is submitted is kept: after an interruption run it again.\n\n" +
        "Examples:\n" +
        "  tonado withdraw 2f81 --to UQ... --relayer https://one.example --relayer https://two.example\n" +
        "  tonado withdraw",
    )
    .action((id: string | undefined, options: BeforeNote<WithdrawOptions>) => withdraw(wiring, id, options));
}

/** What the ways to withdraw have in common. */
interface Job {
  readonly wiring: Wiring;
  readonly options: WithdrawOptions;
  readonly chain: Chain;
  /** As it may be shown. */
  readonly endpoint: string;
  readonly pool: Pool;
  readonly deployment: Deployment;
  readonly jetton?: PoolJetton;
  readonly store: NoteStore;
  readonly record: NoteRecord;
  readonly recipient: Address;
  /** Never paid. */
  readonly dead: readonly Address[];
  readonly talk: WithdrawTalk;
  readonly signal: AbortSignal;
}

async function withdraw(
  wiring: Wiring,
  id: string | undefined,
  given: BeforeNote<WithdrawOptions>,
): Promise<void> {
  assertOneWay(given);
  const store = await openNotes(wiring, given);
  using _ = await store.work();
  const record = choose(await store.list(), id, given.network);
  const options = onNetworkOf<WithdrawOptions>(given, record);
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(options.network, options.registry);
  if (record.state === "withdrawn") {
    throw new Problem("nullifier_already_used", `note ${record.id} has been withdrawn already`, {
      todo: `A note pays once. \`tonado note check ${record.id} ${sameFlags(options)}\` says how it stands.`,
    });
  }
  const deployment = deploymentOf(record, known);
  const dead = deadContracts(known);
  const recipient = chosenRecipient(record, options, dead);
  const chain = wiring.connect(options.network, { url, apiKey });
  const talk = new WithdrawTalk(wiring, options, record, deployment);
  const abort = new AbortController();
  wiring.stopped().then(() => abort.abort());
  const job: Job = {
    ...{ wiring, options, chain, deployment, store, record, recipient, dead, talk, signal: abort.signal },
    endpoint: shownUrl(url),
    pool: new Pool(chain, deployment.address),
    jetton: jettonOf(deployment),
  };
  try {
    const { last: since } = await chain.account(deployment.address, { signal: abort.signal });
    await spend(job);
    await settle(job, since);
  } catch (error) {
    talk.failed(error, findNote(await store.list(), record.id), recipient);
    throw error;
  }
}

/** @throws {Problem} `invalid_config` for flags about relayers where none is asked */
function assertOneWay({ self, relayer, fast, maxFee }: BeforeNote<WithdrawOptions>): void {
  const contradicts = Object.entries({ "--relayer": relayer, "--fast": fast, "--max-fee": maxFee })
    .filter(([, value]) => self && value !== undefined)
    .map(([pointer]) => ({ pointer, detail: "contradicts --self, which asks no relayer" }));
  if (contradicts.length === 0) return;
  throw new Problem("invalid_config", undefined, {
    errors: contradicts,
    todo: "Leave --self away to stay hidden, or the flags about relayers to be seen.",
  });
}

function choose(all: readonly NoteRecord[], id: string | undefined, network?: Network): NoteRecord {
  if (id !== undefined) return noteOn(all, id, network);
  const records = notesOf(all, network);
  const open = records.filter(({ state }) => state === "withdrawing");
  if (open.length === 1) return open[0];
  const ids = (open.length > 0 ? open : records.filter(({ state }) => state === "deposited")).map(({ id }) =>
    id
  );
  throw ids.length > 0
    ? new Problem("unknown_note", "several notes may be meant", { todo: `Say which: ${ids.join(", ")}` })
    : new Problem("unknown_note", `no note${network ? ` of ${network}` : ""} is known to be deposited`, {
      todo: `\`${["tonado note check", flagsOf({ network })].filter(Boolean).join(" ")}\` finds deposits; ` +
        "`tonado deposit <pool>` makes one.",
    });
}

/** Ends when the chain says that the note is spent, by this withdrawal or another one. */
async function spend(job: Job): Promise<void> {
  const { pool, record } = job;
  try {
    if (!await resume(job)) await prove(job);
  } catch (error) {
    const late = error instanceof Problem && SPENT.has(error.code);
    if (!late || !await pool.getIsSpent(record.note.reveal().nullifierHash)) throw error;
  }
}

/** Says what the pool paid, and keeps it. @throws {Problem} `paid_elsewhere` when that is another recipient than was meant */
async function settle(
  { store, chain, pool, record, recipient, options, talk, signal }: Job,
  since?: TransactionId,
) {
  const pollMs = POLL_MS[options.network];
  const payment = await notePayment(chain, pool.address, record.note.reveal(), { since, pollMs, signal });
  const { state } = await store.update(record.id, paidOut(findNote(await store.list(), record.id), payment));
  if (!payment.recipient.equals(recipient)) throw talk.elsewhere(payment);
  talk.done(state, payment);
}

/** Whether a withdrawal that was cut off has spent the note; if not, it must be proved (again). */
async function resume(job: Job): Promise<boolean> {
  const { wiring, record, options, pool, talk, signal } = job;
  const journal = record.state === "withdrawing" && !options.restart ? record.withdrawal : undefined;
  if (!journal?.relayer) return false;
  talk.resuming(journal.relayer);
  try {
    const others = options.relayer?.some((url) => url !== journal.relayer);
    const resumed = await resumeWithdrawal(new RelayerClient(journal.relayer, { signal }), {
      ...{ pool, note: record.note.reveal(), journal },
    }, {
      ...{ signal, pollMs: POLL_MS[options.network], onStatus: talk.status },
      ...others && { patienceMs: patienceLeft(wiring.now() - journal.at) },
    });
    return resumed.outcome === "paid";
  } catch (error) {
    // Another relayer may be there; the recipient stays the same, so whoever is first pays it.
    if (!(error instanceof Problem) || error.code === "cancelled" || !options.relayer) throw error;
    talk.warn("resume", `${journal.relayer}: ${error.message}`);
    return false;
  }
}

/** Proves and submits. */
async function prove(job: Job): Promise<void> {
  const prover = await job.wiring.createProver();
  try {
    await (job.options.self ? bySelf(job, prover) : byRelayer(job, prover));
  } finally {
    prover.close();
  }
}

async function byRelayer(job: Job, prover: Prover): Promise<void> {
  const { options, pool, deployment, record, recipient, dead, talk, signal } = job;
  const urls = options.relayer ?? (record.withdrawal?.relayer ? [record.withdrawal.relayer] : []);
  if (urls.length === 0) {
    throw new Problem("invalid_config", undefined, { errors: [NO_RELAYER] });
  }
  const { network } = options;
  const refund = parseUnits(options.refund);
  const maxFee = mostFee(deployment, options);
  const { quotes, refused } = await quoteRelayers(
    [...new Set(urls)].map((url) => new RelayerClient(url, { signal })),
    { network, pool: pool.address },
    { onWaiting: talk.waiting },
  );
  talk.quotes(quotes, refused);
  const able = assertRefundable(quotes, refund);
  assertAffordable(able, maxFee, deployment);
  let agreed = -1n;
  const told = new Set<RelayerClient>();
  const request: RelayedRequest = {
    ...{
      pool,
      network,
      note: record.note.reveal(),
      jetton: job.jetton,
      recipient,
      dead,
      refund,
      maxFee,
      prover,
    },
    fast: options.fast,
    treePatienceMs: job.wiring.treePatienceMs,
    sinceSubmittedMs: record.withdrawal && job.wiring.now() - record.withdrawal.at,
    async approve({ relayer, relayerAddress, fee, tree }) {
      const tells = options.fast && !told.has(relayer); // a relayer more that learns which deposit it is
      const takesAll = relayerAddress.equals(recipient);
      if (fee <= agreed && !tells && !takesAll) return; // agreed to already, or to more
      if (takesAll) talk.warn(...relayersOwn(relayer.baseUrl));
      await agree(job, { fee, tree, through: relayer.baseUrl });
      told.add(relayer);
      agreed = fee;
    },
    onRelayer: talk.asking,
    onUnfinished: ({ baseUrl }, reason) =>
      talk.warn("unfinished", `${baseUrl} had the proof, and the next relayer is asked: ${reason}`),
    onProved: (relayer, args) => journal(job, args, relayer.baseUrl),
  };
  await withdrawThrough(able, request, {
    ...{ signal, pollMs: POLL_MS[network], onStatus: talk.status, onProgress: talk.proving },
  });
}

/**
 * Returns the relayers that pay a refund of `refund` nano.
 *
 * @throws {Problem} `refund_above_limit` with each relayer's maximum if there are none
 */
function assertRefundable(quotes: readonly RelayerQuote[], refund: bigint): RelayerQuote[] {
  const able = quotes.filter(({ maxRefund }) => maxRefund >= refund);
  if (able.length > 0) return able;
  const highest = quotes.reduce((most, { maxRefund }) => maxRefund > most ? maxRefund : most, 0n);
  throw new Problem("refund_above_limit", undefined, {
    errors: quotes.map(({ relayer, maxRefund }) => ({
      pointer: relayer.baseUrl,
      detail: `pays ${native(maxRefund)} at most`,
    })),
    todo: highest > 0n
      ? `Run it again with \`--refund ${
        formatUnits(highest, NATIVE_DECIMALS)
      }\` or less, or use another relayer; nothing was submitted.`
      : "Run it again without --refund, or use another relayer; nothing was submitted.",
  });
}

/** Without `--yes` a person is asked about each fee. */
function mostFee({ denomination, decimals }: Deployment, { maxFee, yes }: WithdrawOptions): bigint {
  if (maxFee !== undefined) return parseUnits(maxFee, decimals);
  return yes ? defaultMaxFee(denomination) : denomination;
}

/** @throws {Problem} `fee_above_limit` with what each asks for */
function assertAffordable(quotes: readonly RelayerQuote[], maxFee: bigint, deployment: Deployment): void {
  const [cheapest] = quotes;
  if (cheapest.fee <= maxFee) return;
  const asks = formatUnits(cheapest.fee, deployment.decimals);
  throw new Problem("fee_above_limit", undefined, {
    errors: quotes.map(({ relayer, fee }) => ({
      pointer: relayer.baseUrl,
      detail: `asks for ${formatAmount(fee, deployment)}, and ${
        formatAmount(maxFee, deployment)
      } may be paid`,
    })),
    todo: `\`--max-fee ${asks}\` allows the cheapest of them; nothing was submitted.`,
  });
}

async function bySelf(job: Job, prover: Prover): Promise<void> {
  const { wiring, options, chain, pool, record, recipient, dead, talk, signal, jetton } = job;
  const wallet = await openPayer(wiring, options, chain);
  if (!wallet) {
    throw misuse("--mnemonic-file", "is required with --self: the wallet that pays the gas");
  }
  const source = fromChain(chain, pool.address);
  const tree = await syncTree(pool, source, undefined, ({ leaves }) => talk.reading(leaves));
  await agree(job, { fee: 0n, tree, through: wallet.format() });
  await withdrawSelf({
    ...{ chain, pool, network: options.network, note: record.note.reveal(), jetton, recipient, dead, prover },
    ...{ wallet, source, tree, pollMs: POLL_MS[options.network] },
    onProved: (args) => journal(job, args),
  }, { signal, onProgress: talk.proving });
}

/** Says what would link the two, and asks. */
async function agree(
  job: Job,
  offer: { readonly fee: bigint; readonly tree?: MerkleTree; readonly through: string },
): Promise<void> {
  const { commitment } = job.record.note.reveal();
  if (offer.tree && offer.tree.indexOf(commitment) < 0) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool", {
      todo: `\`tonado deposit --note ${job.record.id} ${
        [sameFlags(job.options), payerFlags(job.options)].filter(Boolean).join(" ")
      }\` fills it, if nothing was paid yet.`,
    });
  }
  mustBeAskable(job.wiring, job.options);
  if (job.options.recipientCheck) job.talk.checking(job.endpoint);
  for (const { name, text } of await linksBefore(job, offer.tree)) job.talk.warn(name, text);
  job.talk.others(findNote(await job.store.list(), job.record.id), job.recipient);
  await job.talk.agree(job.recipient, offer);
}

/** What is submitted is kept before, beside what was submitted earlier: each of them may be what pays. */
async function journal(
  { store, record, wiring }: Job,
  { proof, publicSignals, recipient, fee, refund }: WithdrawArgs,
  relayer?: string,
): Promise<void> {
  const withdrawal: WithdrawalJournal = {
    ...relayer === undefined ? {} : { relayer },
    recipient: recipient.toRawString(),
    fee: String(fee),
    refund: String(refund),
    request: { proof, publicSignals: [...publicSignals] },
    at: wiring.now(),
  };
  await store.update(record.id, attempted(findNote(await store.list(), record.id), withdrawal));
}
