/**
 * The points of a withdrawal at which a process is killed: calls to the endpoint between two writes of the
 * journal. A barrier holds the process at the call. Its journal, read afterwards, shows the actual state.
 */
import type { Address } from "@ton/core";
import type { ArchiveRow } from "../../src/store/archive.ts";
import type { Transfer } from "../../src/store/store.ts";
import type { Barrier, FaultProxy } from "../servers/fault_proxy.ts";
import type { ProxiedCall } from "../servers/endpoint_faults.ts";

/** States of a process's journal when it died. */
export const journalStates = [
  "nothing to do",
  "accepted, nothing signed",
  "signed and journaled, not sent",
  "sent, not journaled as sent",
  "sent and journaled",
] as const;

export type JournalState = (typeof journalStates)[number];

/** Adds a barrier for the next process that reaches the point. */
type KillPoint = (proxy: FaultProxy, wallet: Address, pools: readonly Address[]) => Barrier;

/** The kill points, in the order of a withdrawal. */
export const killPoints: Readonly<Record<string, KillPoint>> = {
  "before it signs": (proxy, wallet) => {
    // Clients whose last transfer has ended. Their next call for the wallet belongs to a new transfer.
    const ended = new Set<string>();
    return proxy.addBarrier("before", (call) => {
      if (isHistoryOf(wallet, call)) ended.add(call.client);
      return ended.has(call.client) && isStateOf(wallet, call);
    });
  },
  "before the send": (proxy) => proxy.addBarrier("before", isSend),
  "before the send's answer": (proxy) => proxy.addBarrier("after", isSend),
  "after the send": (proxy, wallet) => {
    const sent = new Set<string>();
    return proxy.addBarrier("before", (call) => {
      if (isSend(call)) sent.add(call.client);
      return sent.has(call.client) && isStateOf(wallet, call);
    });
  },
  "before the transfer is looked for": (proxy, wallet) =>
    proxy.addBarrier("before", (call) => isHistoryOf(wallet, call)),
  "before the pool's answer is read": (proxy, wallet, pools) => {
    const ended = new Set<string>();
    return proxy.addBarrier("after", (call) => {
      if (isHistoryOf(wallet, call)) ended.add(call.client);
      return ended.has(call.client) && call.params.lt !== undefined &&
        pools.some((pool) => isHistoryOf(pool, call));
    });
  },
};

/** The kill point for each state of the journal. */
export const killPointFor: Readonly<Partial<Record<JournalState, keyof typeof killPoints>>> = {
  "accepted, nothing signed": "before it signs",
  "signed and journaled, not sent": "before the send",
  "sent, not journaled as sent": "before the send's answer",
  "sent and journaled": "after the send",
};

/**
 * Reads the state from a dead process's journal.
 *
 * @param forwarded hashes of the messages that reached the endpoint
 */
export function readJournalState(rows: readonly ArchiveRow[], forwarded: ReadonlySet<string>): JournalState {
  const transfer: Transfer | undefined = rows.find((row) => row.kind === "transfer")?.transfer;
  const jobs = rows.flatMap((row) => row.kind === "job" ? [row.job] : []);
  if (!transfer) {
    return jobs.some(({ state }) => state === "accepted") ? "accepted, nothing signed" : "nothing to do";
  }
  if (!forwarded.has(transfer.hash)) return "signed and journaled, not sent";
  const carried = transfer.jobs.map(({ pool, nullifierHash }) =>
    jobs.find((job) => job.pool === pool && job.nullifierHash === nullifierHash)
  );
  return carried.every((job) => job?.messageHash === transfer.hash)
    ? "sent and journaled"
    : "sent, not journaled as sent";
}

function isSend({ method }: ProxiedCall): boolean {
  return method === "sendBoc";
}

function isStateOf(account: Address, { method, params }: ProxiedCall): boolean {
  return method === "getAddressInformation" && params.address === account.toString();
}

function isHistoryOf(account: Address, { method, params }: ProxiedCall): boolean {
  return method === "getTransactions" && params.address === account.toString();
}
