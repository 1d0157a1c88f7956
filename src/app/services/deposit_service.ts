/** Makes deposits: prepares the note, builds the message, and watches the pool's log. */
import type { Address } from "@ton/core";
import { buildPayment } from "../../client/deposit/deposit_transfer.ts";
import {
  proveNextLeaf,
  recordDeposit,
  refusedPayer,
  toDepositResult,
} from "../../client/deposit/deposit_events.ts";
import { preparePayment } from "../../client/deposit/deposit_payer.ts";
import { assertListedWallet, assertOpen } from "../../client/deposit/checks/pool_checks.ts";
import { buildTransferMessage } from "../../client/deposit/transfer_message.ts";
import { assertNoteMatchesPool } from "../../client/notes/pool_match.ts";
import { refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import { commitmentsFromChain, syncWholeTree } from "../../client/tree_sync.ts";
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { delay } from "../../core/time/deadline.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import type { DepositEvent as PoolDeposit, RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { Settings } from "../flows/settings.ts";
import { QUESTION_SECONDS } from "../flows/deposit/deposit.ts";
import type { DepositServices } from "../flows/deposit/deposit_services.ts";
import { firstAttemptChance } from "./deposits/first_attempt.ts";
import { assertFunds, assertGas } from "../../client/deposit/payer_funds.ts";
import type { DepositTicket, OpenedDeposit, PoolChoice } from "../flows/deposit/deposit_state.ts";
import { findCoverage } from "./backups/backup_coverage.ts";
import type { Payer, PayMessage } from "../ports.ts";
import { ChainClock } from "../../client/deposit/checks/chain_clock.ts";
import { assertGenuine } from "./deposits/genuine_pool.ts";
import { newestTransaction, waitForReturn } from "./deposits/payment_return.ts";
import { countDeposits, type PoolDeposits, readDeposits } from "./deposits/pool_deposits.ts";
import {
  type AppContext,
  depositChain,
  findDeployment,
  findStoredNote,
  locked,
  type Session,
} from "./context.ts";
import { vaultPool, vaultPools } from "./note_book.ts";

const UNREACHABLE_RETRY_MS = 3_000;

export function poolChoice(deployment: Deployment): PoolChoice {
  const { asset, amount, version = 1 } = deployment;
  return { key: poolKey(deployment), version, asset, amount };
}

type ProvenBackup = Pick<Settings, "provenSeed" | "provenNotes">;

/** @param provenBackup returns the current proof of the backups, which another screen or tab may change */
export function depositServices(
  context: AppContext,
  session: Session,
  provenBackup: () => ProvenBackup,
): DepositServices {
  /** The connected wallet, to recognise refusals of its own payments. */
  let payer: Address | undefined;
  let askedLeafIndex: number | undefined;
  /** The wallet's newest transaction before its last request. */
  let beforeRequest: TransactionId | undefined;
  const position: LogPosition = {};
  const chainClock = new ChainClock(context.clock);
  return {
    sizes: (signal) => countDeposits(context, signal),
    fees: () => context.fees.read(),
    prepare: (choice, signal) => prepare(context, session, choice, signal),
    open: (id, signal) => open(context, session, id, provenBackup(), signal),
    async build(ticket, connected, options) {
      payer = connected.address;
      beforeRequest = await newestTransaction(depositChain(context), payer);
      const built = await build(context, session, { ticket, payer: connected, chainClock }, options);
      askedLeafIndex = built.question.leafIndex;
      return built;
    },
    watch(ticket, signal, send) {
      const isOwn = (event: RefusedEvent, poolWallet: Address | undefined) =>
        payer !== undefined && (askedLeafIndex === undefined || event.leafIndex === askedLeafIndex) &&
        refusedPayer(event, poolWallet)?.equals(payer) === true;
      return locked(
        session,
        () => watch(context, session, { ticket, isOwn, position, chainClock }, signal, send),
      );
    },
    waitForReturn: (ticket, connected, signal) =>
      waitForReturn(context, session, { ticket, payer: connected, after: beforeRequest }, signal),
    sleep: (ms, signal) => context.clock.sleep(ms, signal),
    async connect(source, onLink, signal) {
      const connected = await source.connect({ network: context.registry.network, onLink, signal });
      payer = connected.address;
      return connected;
    },
  };
}

async function prepare(
  context: AppContext,
  { store }: Session,
  choice: PoolChoice,
  signal: AbortSignal,
): Promise<DepositTicket> {
  const deployment = findDeployment(context, choice.key);
  const chain = depositChain(context);
  await assertPayable(chain, deployment);
  await assertOpen(openPool(chain, deployment.address, deployment.version));
  const { commitments, times, now } = await readDeposits(chain, deployment, signal);
  const record = await store.addNext(vaultPool(context.registry.network, deployment), {
    now: context.clock.now(),
    isDeposited: (commitment) => commitments.has(commitment),
  });
  return withChance(buildTicket(chain, deployment, record.id, record.note), { times, now });
}

/** Only version 1 deposits compete for a leaf. */
function withChance(
  ticket: DepositTicket,
  { times, now }: Pick<PoolDeposits, "times" | "now">,
): DepositTicket {
  return ticket.pool.version === 2
    ? ticket
    : { ...ticket, chance: firstAttemptChance(times, now, QUESTION_SECONDS) };
}

async function open(
  context: AppContext,
  session: Session,
  id: string,
  provenBackup: ProvenBackup,
  signal: AbortSignal,
): Promise<OpenedDeposit> {
  const { store } = session;
  const chain = depositChain(context);
  const { record, deployment, pool } = await findStoredNote(context, session, id, chain);
  await assertPayable(chain, deployment);
  const proof = await store.prove(vaultPools(context.registry));
  const { hasSeed, missing } = findCoverage(proof, await store.list(), provenBackup);
  const backup = !hasSeed ? "missing" : missing.has(id) ? "file_missing" : "proven";
  const wasRequested = record.state !== "created";
  if (!wasRequested) await assertOpen(pool);
  // The note may be paid from now on.
  if (backup === "proven" && !wasRequested) await store.update(id, { state: "depositing" });
  const ticket = buildTicket(chain, deployment, id, record.note);
  if (ticket.pool.version === 2) return { ticket, backup, wasRequested };
  return { ticket: withChance(ticket, await readDeposits(chain, deployment, signal)), backup, wasRequested };
}

function buildTicket(
  chain: Chain,
  deployment: Deployment,
  id: string,
  note: Parameters<typeof buildPayment>[2],
): DepositTicket {
  const pool = poolChoice(deployment);
  const opened = openPool(chain, deployment.address, deployment.version);
  if (!(opened instanceof V2Pool) || deployment.asset !== "native") return { id, pool };
  const { url, to, amount, comment } = buildPayment(deployment.address, deployment.denomination, note);
  const { body } = opened.buildCommentDepositMessage({ commitment: note.commitment, value: amount });
  const testOnly = note.network !== "mainnet";
  const message: PayMessage = { to, amount, body };
  return { id, pool, payment: { url, to: to.toString({ bounceable: true, testOnly }), comment, message } };
}

/** Throws `pool_retired`, or `wrong_pool` for a contract that is not a pool of this build. */
async function assertPayable(chain: Chain, deployment: Deployment): Promise<void> {
  if (deployment.retired) throw new Problem("pool_retired");
  await assertGenuine(chain, deployment);
}

type Built = Awaited<ReturnType<DepositServices["build"]>>;

async function build(
  context: AppContext,
  session: Session,
  { ticket, payer, chainClock }: {
    readonly ticket: DepositTicket;
    readonly payer: Payer;
    readonly chainClock: ChainClock;
  },
  { signal, onProgress }: Parameters<DepositServices["build"]>[2],
): Promise<Built> {
  const chain = depositChain(context);
  const stored = await findStoredNote(context, session, ticket.id, chain);
  const { pool, record, deployment, jetton } = stored;
  await assertFunds(chain, { denomination: deployment.denomination, jetton }, payer);
  const readExpiry = async () =>
    chainClock.check((await chain.account(pool.address, { signal })).syncUtime) + QUESTION_SECONDS;
  if (ticket.payment) {
    return { message: ticket.payment.message, question: { validUntil: await readExpiry() } };
  }
  const note = record.note;
  const matched = await assertNoteMatchesPool(pool, note, context.registry.network, jetton);
  assertListedWallet(deployment, matched);
  const owner = payer.address;
  let leafIndex: number | undefined;
  let message: Omit<PayMessage, "amount"> & { readonly value: bigint };
  if (pool instanceof V2Pool) {
    ({ message } = await buildTransferMessage({ pool, note, matched, jetton, owner, asComment: false }));
  } else {
    const { buildMessage } = await preparePayment({ chain, pool, jetton }, matched, owner);
    const source = commitmentsFromChain(chain, pool.address);
    const tree = await syncWholeTree(pool, source, undefined, { signal, clock: context.clock });
    const deposit = await proveNextLeaf(await context.prover(), tree, note.commitment, {
      signal,
      onProgress: ({ fraction }) => onProgress(fraction),
    });
    ({ leafIndex } = deposit);
    message = buildMessage(deposit);
  }
  const { to, value, body } = message;
  if (jetton !== undefined) await assertGas(chain, payer, value);
  return { message: { to, amount: value, body }, question: { validUntil: await readExpiry(), leafIndex } };
}

/** Where the next watch of a visit continues, so that it reports no refusal of an earlier request again. */
interface LogPosition {
  after?: TransactionId | undefined;
}

async function watch(
  context: AppContext,
  session: Session,
  { ticket, isOwn, position, chainClock }: {
    readonly ticket: DepositTicket;
    readonly isOwn: (event: RefusedEvent, poolWallet: Address | undefined) => boolean;
    readonly position: LogPosition;
    readonly chainClock: ChainClock;
  },
  signal: AbortSignal,
  send: Parameters<DepositServices["watch"]>[2],
): Promise<void> {
  const { clock, pollIntervalMs } = context;
  const chain = depositChain(context);
  const { record, pool, deployment } = await findStoredNote(context, session, ticket.id, chain);
  const { commitment } = record.note;
  const onRefusal = (event: RefusedEvent) => {
    const isOvertaken = event.exitCode === exitCodes.ERR_STALE_DEPOSIT;
    send({
      type: "refused",
      reason: refusalReason(event.exitCode),
      isOwn: isOwn(event, deployment.jettonWallet),
      isOvertaken,
    });
  };
  for (;;) {
    try {
      let now: number | undefined;
      const deposit = await waitForPoolEvent<PoolDeposit>(chain, pool.address, {
        after: position.after,
        pollIntervalMs,
        signal,
        clock,
        beforeScan: async () => {
          const { syncUtime } = await chain.account(pool.address, { signal });
          now = chainClock.accepts(syncUtime) ? syncUtime : undefined;
        },
        match(event) {
          if (event.kind === "deposit" && event.commitment === commitment) return event;
          if (event.kind === "refused" && event.commitment === commitment) onRefusal(event);
          position.after = event.tx ?? position.after;
          return undefined;
        },
        afterScan() {
          send({ type: "chain_time", now });
          return false;
        },
      });
      if (deposit === undefined) return;
      await recordDeposit(session.store, ticket.id, toDepositResult(deposit));
      return send({ type: "seen", leafIndex: deposit.leafIndex });
    } catch (error) {
      const isTransient = error instanceof Problem &&
        (error.code === "chain_unavailable" || error.code === "chain_inconsistent");
      if (!isTransient) throw error;
      send({ type: "unreachable" });
      await delay(UNREACHABLE_RETRY_MS, signal, clock);
    }
  }
}
