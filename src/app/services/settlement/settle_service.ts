/** Settles the deposits of a version 2 pool with the user's wallet: reads the queue, proves, and watches the log. */
import type { Address } from "@ton/core";
import { type DepositQueue, DepositQueueReader } from "../../../client/settlement/deposit_queue.ts";
import {
  isOvertaken,
  isSettlementAnswer,
  proveSettlement,
} from "../../../client/settlement/prove_settlement.ts";
import { fetchSettlementOffer } from "../../../client/settlement/settlement_offer.ts";
import { CHUNK_SLOTS } from "../../../core/crypto/groth16.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatNative } from "../../../core/protocol/units.ts";
import { delay } from "../../../core/time/deadline.ts";
import type { TransactionId } from "../../../ton/chain.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { waitForPoolEvent } from "../../../ton/pool/history/pool_watch.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import { settlementDueAt } from "../../../ton/pool/v2/settlement_terms.ts";
import { QUESTION_SECONDS } from "../../flows/deposit/deposit.ts";
import type { SettleServices } from "../../flows/settle/settle.ts";
import type { Offer } from "../../flows/settle/settle_state.ts";
import { type AppContext, depositChain, findStoredNote, type Session } from "../context.ts";
import { ChainClock } from "../../../client/deposit/checks/chain_clock.ts";
import { assertGenuine } from "../deposits/genuine_pool.ts";

/** For the wallet's own fees, in addition to what the message carries. */
const GAS_RESERVE_NANO = 20_000_000n;
const UNREACHABLE_RETRY_MS = 3_000;

/** The pool as it was read last. */
interface ReadPool {
  readonly pool: V2Pool;
  readonly reader: DepositQueueReader;
  readonly queue: DepositQueue;
}

export function settleServices(context: AppContext, session: Session): SettleServices {
  let known: ReadPool | undefined;
  let settler: Address | undefined;
  const chainClock = new ChainClock(context.clock);
  const current = () => {
    if (known === undefined) throw new Problem("internal", "the queue was not read");
    return known;
  };
  return {
    async read(id, options) {
      const read = await readQueue(context, session, id, known?.reader, options);
      known = read;
      return read.offer;
    },
    async connect(source, onLink, signal) {
      const payer = await source.connect({ network: context.registry.network, onLink, signal });
      settler = payer.address;
      return payer;
    },
    build: (offer, payer, options) => build(context, current(), { offer, payer, chainClock }, options),
    async watch(signal, send) {
      using _work = await session.store.lockForWork();
      await watch(context, current(), { settler: () => settler, chainClock }, signal, send);
    },
  };
}

/** Reads the whole log, so that the endpoint does not learn which deposit matters. */
async function readQueue(
  context: AppContext,
  session: Session,
  id: string,
  known: DepositQueueReader | undefined,
  { signal, onProgress }: Parameters<SettleServices["read"]>[1],
): Promise<ReadPool & { readonly offer: Offer | undefined }> {
  const chain = depositChain(context);
  const { record, deployment, pool } = await findStoredNote(context, session, id, chain);
  if (!(pool instanceof V2Pool)) throw new Problem("wrong_pool", "version 1 deposits need no settlement");
  await assertGenuine(chain, deployment);
  const reader = known ?? new DepositQueueReader(pool);
  const queue = await reader.read({ signal, onProgress });
  const read = { pool, reader, queue };
  const { commitment } = record.note;
  const { tree, waiting } = queue;
  if (tree.indexOf(commitment) >= 0) return { ...read, offer: undefined };
  const place = waiting.indexOf(commitment);
  if (place < 0) throw new Problem("commitment_not_found", "the pool has no deposit of this note");
  const { syncUtime } = await chain.account(pool.address, { signal });
  const priced = await fetchSettlementOffer(pool, {
    waiting: waiting.length,
    assetKind: deployment.asset === "native" ? "native" : "jetton",
    now: syncUtime * 1000,
    signal,
  });
  const first = tree.size;
  const leafIndex = first + place;
  const rounds = 1 + Math.floor(leafIndex / CHUNK_SLOTS) - Math.floor(first / CHUNK_SLOTS);
  return { ...read, offer: { ...priced, first, leafIndex, rounds } };
}

async function build(
  context: AppContext,
  { pool, queue }: ReadPool,
  { offer, payer, chainClock }: Readonly<
    { offer: Offer; payer: Parameters<SettleServices["build"]>[1]; chainClock: ChainClock }
  >,
  { signal, onProgress }: Parameters<SettleServices["build"]>[2],
): ReturnType<SettleServices["build"]> {
  const { chain, address } = pool;
  const { balance } = await chain.account(payer.address, { signal });
  if (balance < offer.value + GAS_RESERVE_NANO) {
    const holds = formatNative(balance);
    throw new Problem(
      "insufficient_funds",
      `the wallet holds ${holds}, less than the settlement and its fees`,
    );
  }
  const stopDownloads = context.artifacts.subscribe(({ received, total }) =>
    onProgress({ stage: "keys", ...total > 0 && { fraction: received / total } })
  );
  try {
    const { first, end, newRoot, proof } = await proveSettlement(
      await context.prover(),
      queue,
      payer.address,
      { signal, onProgress: (fraction) => onProgress({ stage: "proof", fraction }) },
    );
    const dueAt = settlementDueAt(await pool.getSettleInfo({ signal }), end);
    const now = async () => chainClock.check((await chain.account(address, { signal })).syncUtime);
    const seconds = dueAt - await now();
    if (seconds > 0) {
      onProgress({ stage: "pause" });
      await delay(1000 * seconds, signal, context.clock);
    }
    if (await pool.getSettled({ signal }) !== first) return undefined; // a refused message would cost its fees
    const { to, value, body } = pool.buildSettleMessage({ newRoot, end, proof, value: offer.value });
    return { message: { to, amount: value, body }, validUntil: await now() + QUESTION_SECONDS };
  } finally {
    stopDownloads();
  }
}

async function watch(
  { pollIntervalMs, clock }: AppContext,
  { pool, queue }: ReadPool,
  { settler, chainClock }: Readonly<{ settler: () => Address | undefined; chainClock: ChainClock }>,
  signal: AbortSignal,
  send: Parameters<SettleServices["watch"]>[1],
): Promise<void> {
  const { chain, address } = pool;
  const first = queue.tree.size;
  let after: TransactionId | undefined = queue.cursor;
  const report = async (event: PoolEvent) => {
    if (!isSettlementAnswer(event)) return;
    const isOwn = settler()?.equals(event.sender) === true;
    if (event.kind === "settlement") return send({ type: "settled", end: event.end, isOwn });
    if (!isOwn) return;
    const isBehind = await pool.getSettled({ signal }) !== first;
    send({ type: "refused", isOvertaken: isOvertaken(event, isBehind) });
  };
  while (!signal.aborted) {
    try {
      let now: number | undefined;
      await waitForPoolEvent<never>(chain, address, {
        after,
        pollIntervalMs,
        signal,
        clock,
        beforeScan: async () => {
          const { syncUtime } = await chain.account(address, { signal });
          now = chainClock.accepts(syncUtime) ? syncUtime : undefined;
        },
        async match(event) {
          await report(event);
          after = event.tx ?? after;
          return undefined;
        },
        afterScan() {
          send({ type: "chain_time", now });
          return false;
        },
      });
    } catch (error) {
      const isTransient = error instanceof Problem &&
        (error.code === "chain_unavailable" || error.code === "chain_inconsistent");
      if (!isTransient) throw error;
      send({ type: "unreachable" });
      await delay(UNREACHABLE_RETRY_MS, signal, clock);
    }
  }
}
