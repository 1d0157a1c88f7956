/**
 * What one transaction of a pool means. Only logs that the pool emitted in a transaction that succeeded count; anything
 * may be sent to a pool, so nothing here throws for what it finds.
 */
import type { Address, Cell, Transaction } from "@ton/core";
import { loadDeposit, loadPoolLog, loadWithdraw, opCodes } from "../core/messages.ts";
import type { ChainTransaction } from "./chain.ts";
import type { PoolEvent } from "./pool_event.ts";

/** Decodes the events of `transaction`, which belongs to `pool`. */
export function poolEvents(pool: Address, { id, now, raw }: ChainTransaction): PoolEvent[] {
  const message = raw.inMessage;
  if (message?.info.type !== "internal" || message.info.bounced) return [];
  const { op, queryId } = header(message.body);
  const base = {
    tx: id,
    timestamp: now,
    sender: message.info.src,
    queryId,
    messageHash: rawMessage(raw).hash().toString("hex"),
  };
  if (succeeded(raw)) return poolLogs(pool, raw).map((log) => ({ ...base, ...log, timestamp: now }));
  if (op === opCodes.deposit) {
    const commitment = attempt(() => loadDeposit(message.body))?.commitment;
    return [{ ...base, kind: "refused", op: "deposit", exitCode: exitCode(raw), commitment }];
  }
  if (op === opCodes.withdraw) {
    const nullifierHash = attempt(() => loadWithdraw(message.body))?.nullifierHash;
    return [{ ...base, kind: "refused", op: "withdraw", exitCode: exitCode(raw), nullifierHash }];
  }
  return [];
}

function poolLogs(pool: Address, { outMessages }: Transaction) {
  return outMessages.values().flatMap(({ info, body }) => {
    if (info.type !== "external-out" || !info.src.equals(pool)) return [];
    const log = attempt(() => loadPoolLog(body));
    return log ? [log] : [];
  });
}

function succeeded({ description }: Transaction): boolean {
  return description.type === "generic" && !description.aborted &&
    description.computePhase.type === "vm" && description.computePhase.success &&
    description.actionPhase?.success === true;
}

function exitCode({ description }: Transaction): number | undefined {
  if (description.type !== "generic" || description.computePhase.type !== "vm") return undefined;
  const { computePhase, actionPhase } = description;
  return computePhase.success ? actionPhase?.resultCode : computePhase.exitCode;
}

/** The first 96 bits of every body of ours; a shorter one has neither. */
function header(body: Cell): { op?: number; queryId: bigint } {
  const slice = body.beginParse();
  const op = slice.remainingBits >= 32 ? slice.loadUint(32) : undefined;
  return { op, queryId: slice.remainingBits >= 64 ? slice.loadUintBig(64) : 0n };
}

/** The inbound message's own cell: writing a parsed message again could choose another layout, and another hash. */
function rawMessage({ raw }: Transaction): Cell {
  return raw.refs[0].refs[0];
}

function attempt<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
