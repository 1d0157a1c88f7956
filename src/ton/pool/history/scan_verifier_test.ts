import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, Cell, Dictionary, type TransactionDescriptionGeneric } from "@ton/core";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
} from "../../../../testkit/simulation/forged_history.ts";
import { POOL_CAPACITY } from "../../../core/protocol/pool_constants.ts";
import { storeDeposit } from "../../../core/protocol/messages/pool_messages.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../chain.ts";
import { type HistoryClaims, scanPoolTransactions, type ScanVerifier } from "./scan.ts";

const pool = new Address(0, Buffer.alloc(32, 7));
const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: 1_700_000_000 } as ChainTransaction;

function historyOf(...logs: ReturnType<typeof forgeDepositLog>[]): ChainTransaction[] {
  const history: ChainTransaction[] = [];
  for (const log of logs) {
    const next = forgeTransaction(pool, history.at(-1) ?? genesis, log);
    history.push(history.length === 0 ? { ...next, prev: null } : next);
  }
  return history;
}

function endpointOf(history: readonly ChainTransaction[]): Chain {
  const newestFirst = history.toReversed();
  return {
    transactions(_address, { from, limit }) {
      const start = newestFirst.findIndex(({ id }) => id.hash === from?.hash);
      return Promise.resolve(newestFirst.slice(start, start + limit));
    },
  } as Partial<Chain> as Chain;
}

const deposits = historyOf(...[1n, 2n, 3n].map((commitment, i) => forgeDepositLog(commitment, i, 5)));

function verifierOf(...answers: (TransactionId | undefined)[]) {
  const requests: { tip: bigint; leaves: number[] }[] = [];
  const verifier: ScanVerifier = {
    isRelevantRefusal: () => false,
    verify(tip: TransactionId, { messages }: HistoryClaims) {
      const leaves = messages.flatMap((message) => message.kind === "deposit" ? [message.leafIndex] : []);
      requests.push({ tip: tip.lt, leaves });
      return Promise.resolve(answers.shift());
    },
  };
  return { requests, verifier };
}

Deno.test("a history that grew during the scan is verified again, with what was added", async () => {
  const [first, second, third] = deposits.map(({ id }) => id);
  const { requests, verifier } = verifierOf(second, third, undefined);
  const scan = scanPoolTransactions(endpointOf(deposits), pool, { newest: first, verifier });
  const batches = await Array.fromAsync(scan);
  deepEqual(requests, [
    { tip: first.lt, leaves: [0] },
    { tip: second.lt, leaves: [0, 1] },
    { tip: third.lt, leaves: [0, 1, 2] },
  ]);
  deepEqual(batches.map(({ cursor }) => cursor.lt), [first.lt, second.lt, third.lt]);
});

function refused(transaction: ChainTransaction, leafIndex: number): ChainTransaction {
  const { raw } = transaction;
  const body = storeDeposit({ queryId: 0n, commitment: 5n, newRoot: 6n, leafIndex, proof: Cell.EMPTY });
  const description = raw.description as TransactionDescriptionGeneric;
  return {
    ...transaction,
    raw: {
      ...raw,
      inMessage: { ...raw.inMessage!, body },
      outMessages: Dictionary.empty(),
      description: {
        ...description,
        aborted: true,
        computePhase: { ...description.computePhase, success: false, exitCode: 103 },
      } as TransactionDescriptionGeneric,
    },
  };
}

Deno.test("only refusals that concern the caller are claims, and no other event is", async () => {
  const history = [refused(deposits[0], 7), refused(deposits[1], 8), deposits[2]];
  const counts: number[] = [];
  const verifier: ScanVerifier = {
    isRelevantRefusal: ({ leafIndex }) => leafIndex !== 7,
    verify: (_tip, { refusalCount }) => (counts.push(refusalCount), Promise.resolve(undefined)),
  };
  const newest = history.at(-1)!.id;
  const batches = await Array.fromAsync(
    scanPoolTransactions(endpointOf(history), pool, { newest, verifier }),
  );
  deepEqual(batches.flatMap(({ events }) => events.map(({ kind }) => kind)), [
    "refused",
    "refused",
    "deposit",
  ]);
  deepEqual(counts, [1]);
});

for (
  const [what, log, counts] of [
    ["deposits", forgeDepositLog(1n, 0, 5), [POOL_CAPACITY, POOL_CAPACITY + 1]],
    ["withdrawals", forgeWithdrawalLog({ nullifierHash: 1n, fee: 0n, refund: 0n }), [POOL_CAPACITY + 1]],
  ] as const
) {
  Deno.test(`a history of more ${what} than a pool can have is refused, and never verified`, async () => {
    const [{ raw, now }] = historyOf(log);
    const message = raw.outMessages.values()[0];
    const LOGS = 40;
    const idOf = (n: number): TransactionId => ({ lt: BigInt(n), hash: String(n).padStart(64, "0") });
    const withLogs = (count: number): ChainTransaction[] =>
      Array.from({ length: Math.ceil(count / LOGS) }, (_, i) => {
        const outMessages = Dictionary.empty<number, typeof message>();
        outMessages.values = () => Array<typeof message>(Math.min(LOGS, count - i * LOGS)).fill(message);
        return { id: idOf(i + 1), prev: i === 0 ? null : idOf(i), now, raw: { ...raw, outMessages } };
      });
    for (const count of counts) {
      const fits = count === POOL_CAPACITY;
      const { requests, verifier } = verifierOf();
      const history = withLogs(count);
      const newest = history.at(-1)!.id;
      const scan = Array.fromAsync(scanPoolTransactions(endpointOf(history), pool, { newest, verifier }));
      if (fits) equal((await scan).reduce((sum, { events }) => sum + events.length, 0), count);
      else await rejects(scan, { code: "chain_inconsistent", message: /more events than a pool can have/ });
      equal(requests.length, fits ? 1 : 0);
    }
  });
}
