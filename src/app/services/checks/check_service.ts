/** Checks all notes of the store in whole pages of all pools, and recovers notes of the seed that the store lacks. */
import { checkHashesInPages, findLeaves } from "../../../client/pages/note_pages.ts";
import type { TreeProgress } from "../../../client/tree_sync.ts";
import type { Problem, ProblemCode } from "../../../core/errors/problem.ts";
import { type Deployment, poolKey } from "../../../core/protocol/deployments.ts";
import type { CheckResultView, CheckServices, NoteFacts } from "../../flows/check.ts";
import { toProblem } from "../../flows/machine.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import { type AppContext, deploymentOf, type Session, withdrawalChain } from "../context.ts";
import { vaultPool } from "../note_book.ts";
import { readPages } from "../pages/pool_pages.ts";
import { countLaterStrangers } from "../../../client/withdrawal/warnings/later_deposits.ts";
import { lacksHistory, updateRecord } from "./note_updates.ts";
import { checkSettlements } from "./settlement_check.ts";
import { type FoundStatus, PoolLogs, type PoolLookup, type ReadPool } from "./pool_logs.ts";

interface PoolCheck {
  readonly facts: ReadonlyMap<string, NoteFacts>;
  readonly recovered: number;
  /** Whether only the pool's log tells more about a note. */
  readonly needsLog: boolean;
}

/** Problems that end a pass, because the same servers serve all pools. The second pass uses no relayer. */
const SERVER_FAULTS: ReadonlySet<ProblemCode> = new Set([
  "chain_unavailable",
  "wrong_network",
  "relayer_unavailable",
]);

/**
 * Returns the checks of a visit. They stay the same when the screens open again, because a later check differs.
 *
 * Each pass of a check reads all pools, with or without notes: the first one pages of a relayer, the second one the logs.
 * The notes decide whether there is a second pass only in the first check of a visit, and only those that the store has
 * when it starts. Otherwise the time of the second pass would show which deposit is the visitor's. What a relayer says
 * about waiting deposits decides nothing.
 */
export function checkServices(context: AppContext, session: Session): CheckServices {
  return session.checks ??= createChecks(context, session);
}

function createChecks(context: AppContext, session: Session): CheckServices {
  const logs = new PoolLogs(context);
  let startedAt = context.clock.now();
  let isFirst = true;
  return {
    async waitForNext(signal) {
      const { clock, checkIntervalMs } = context;
      const elapsed = Math.max(0, clock.now() - startedAt);
      await clock.sleep(checkIntervalMs - elapsed % checkIntervalMs, signal);
    },
    checkSettlements(signal) {
      startedAt = context.clock.now();
      return checkSettlements(context, session, signal);
    },
    async check({ signal, isAsked, onProgress }) {
      startedAt = context.clock.now();
      const decidesByNotes = isFirst;
      isFirst = false; // a check that is stopped was the first one too
      const before = new Map((await session.store.list()).map((record) => [record.id, record]));
      void context.fees.refresh(context, signal);
      const facts = new Map<string, NoteFacts>();
      const unread = new Map<string, Problem>();
      let recovered = 0;
      const readAll = async (readPool: ReadPool) => {
        let needsLog = false;
        for (const deployment of context.registry.pools.values()) {
          const key = poolKey(deployment);
          try {
            const found = await checkPool(context, session, deployment, await readPool(deployment), before);
            found.facts.forEach((fact, id) => facts.set(id, fact));
            recovered += found.recovered;
            needsLog ||= found.needsLog;
            unread.delete(key);
          } catch (error) {
            if (signal.aborted) throw error;
            const problem = toProblem(error);
            unread.set(key, problem);
            if (!SERVER_FAULTS.has(problem.code)) continue;
            for (const each of context.registry.pools.values()) unread.set(poolKey(each), problem);
            break;
          }
        }
        return needsLog;
      };
      const needsLogs = await readAll(async (deployment) => {
        const onTreeProgress = ({ leafCount }: TreeProgress) => onProgress(poolKey(deployment), leafCount);
        const pages = await readPages(context, deployment, { signal, onTreeProgress });
        return {
          isDeposited: (commitment) => pages.tree.indexOf(commitment) >= 0,
          leavesOf: (commitments) => findLeaves(commitments, pages),
          statusesOf: (notes) => checkHashesInPages(notes, pages),
        };
      });
      const isWanted = isAsked || logs.wereRead ||
        (decidesByNotes && needsLogs) || session.isRestored === true;
      if (isWanted || unread.size > 0) {
        await readAll((deployment) =>
          logs.read(deployment, signal, (seen) => onProgress(poolKey(deployment), seen))
        );
      }
      session.isRestored = false;
      return {
        facts,
        recovered,
        unread: [...unread].map(([pool, problem]) => ({ pool, problem })),
        chainTime: await readChainTime(context, signal),
      } satisfies CheckResultView;
    },
  };
}

/** Asks about the first pool, with or without notes. Returns undefined if the endpoint does not respond. */
async function readChainTime(context: AppContext, signal: AbortSignal): Promise<number | undefined> {
  const [first] = context.registry.pools.values();
  if (first === undefined) return undefined;
  try {
    return (await withdrawalChain(context).account(first.address, { signal })).syncUtime;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function checkPool(
  context: AppContext,
  session: Session,
  deployment: Deployment,
  { isDeposited, leavesOf, statusesOf }: PoolLookup,
  before: ReadonlyMap<string, NoteEntry>,
): Promise<PoolCheck> {
  const { registry: { network }, clock } = context;
  const { store } = session;
  const recovered = await store.recover(vaultPool(network, deployment), { now: clock.now(), isDeposited });
  const records = (await store.list()).filter((record) => deploymentOf(context, record) === deployment);
  const leaves = leavesOf(records.map(({ note }) => note.commitment));
  const hashes = await store.hashes(records.map(({ id, note: { commitment } }, i) => ({
    id,
    commitment,
    leafIndexes: leaves[i],
  })));
  const statuses = statusesOf(hashes);
  const facts = new Map<string, NoteFacts>();
  const ownLeaves = leaves.flat();
  let needsLog = false;
  for (const [i, record] of records.entries()) {
    facts.set(record.id, toFacts(statuses[i], ownLeaves));
    const { leafIndex, depositor: from, depositedAt: timestamp } = statuses[i];
    if (leafIndex !== undefined && from !== undefined) {
      session.logged = new Map(session.logged).set(record.id, { leafIndex, from, timestamp });
    }
    const known = before.get(record.id) ?? (record.state === "deposited" ? record : undefined); // or recovered just now
    needsLog ||= known !== undefined && lacksHistory(known, statuses[i]);
    await updateRecord(store, record, statuses[i], clock.now());
  }
  return { facts, recovered, needsLog };
}

function toFacts(
  { state, waits, deposits, leafIndex, depositedAt, unspentDeposits }: FoundStatus,
  ownLeaves: readonly number[],
): NoteFacts {
  return {
    state: state === "deposited" && waits ? "waiting" : state,
    ...leafIndex !== undefined && { later: countLaterStrangers(deposits, leafIndex, ownLeaves) },
    ...unspentDeposits !== undefined && { unspentDeposits },
    ...depositedAt !== undefined && { depositedAt },
  };
}
