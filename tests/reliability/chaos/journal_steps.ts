/**
 * The points of a withdrawal's way at which a process is killed: the calls to the endpoint that stand between two writes
 * of the journal. A barrier at such a call holds the process there; what its journal then holds is read afterwards and
 * tells where it really was.
 */
import type { Address } from "@ton/core";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import type { Transfer } from "../../../src/store/store.ts";
import type { Barrier, FaultProxy } from "../../support/fault_proxy.ts";
import type { ProxiedCall } from "../../support/faults.ts";

/** Where a process was, by its journal, when it died. */
export const deaths = [
  "nothing to do",
  "accepted, nothing signed",
  "signed and journaled, not sent",
  "sent, not journaled as sent",
  "sent and journaled",
] as const;

/** One of {@linkcode deaths}. */
export type Death = (typeof deaths)[number];

/** Sets a barrier that the next process to come to a step runs into. */
export type Step = (proxy: FaultProxy, wallet: Address, pools: readonly Address[]) => Barrier;

/** The steps, in the order in which a withdrawal takes them. */
export const steps: Readonly<Record<string, Step>> = {
  "before it signs": (proxy, wallet) => {
    const ended = new Set<string>(); // the last transfer is over: what is asked of the wallet next is for the next one
    return proxy.hold("before", (call) => {
      if (isHistoryOf(wallet, call)) ended.add(call.client);
      return ended.has(call.client) && isStateOf(wallet, call);
    });
  },
  "before the send": (proxy) => proxy.hold("before", isSend),
  "before the send's answer": (proxy) => proxy.hold("after", isSend),
  "after the send": (proxy, wallet) => {
    const sent = new Set<string>();
    return proxy.hold("before", (call) => {
      if (isSend(call)) sent.add(call.client);
      return sent.has(call.client) && isStateOf(wallet, call);
    });
  },
  "before the transfer is looked for": (proxy, wallet) =>
    proxy.hold("before", (call) => isHistoryOf(wallet, call)),
  "before the pool's answer is read": (proxy, wallet, pools) => {
    const ended = new Set<string>();
    return proxy.hold("after", (call) => {
      if (isHistoryOf(wallet, call)) ended.add(call.client);
      return ended.has(call.client) && call.params.lt !== undefined &&
        pools.some((pool) => isHistoryOf(pool, call));
    });
  },
};

/** The step that is held for a process to die at a point of its journal. */
export const stepsTo: Readonly<Partial<Record<Death, keyof typeof steps>>> = {
  "accepted, nothing signed": "before it signs",
  "signed and journaled, not sent": "before the send",
  "sent, not journaled as sent": "before the send's answer",
  "sent and journaled": "after the send",
};

/**
 * Reads from a dead process's journal how far it had come.
 *
 * @param forwarded hashes of the messages that reached the endpoint
 */
export function deathOf(rows: readonly ArchiveRow[], forwarded: ReadonlySet<string>): Death {
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
