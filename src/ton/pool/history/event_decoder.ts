/** Decodes a pool's transactions. Only logs of successful ones count. Malformed data never throws. */
import type { Address, Cell, Transaction } from "@ton/core";
import { assertFieldElement } from "../../../core/crypto/field.ts";
import {
  loadNotifiedDeposit,
  loadNotifiedEnqueue,
  loadTransferNotification,
} from "../../../core/protocol/messages/jetton_messages.ts";
import { loadDeposit, loadWithdraw, opCodes } from "../../../core/protocol/messages/pool_messages.ts";
import {
  loadDepositComment,
  loadEnqueue,
  loadV2PoolLog,
  loadWithdraw2,
  loadWithdrawMany,
  v2OpCodes,
} from "../../../core/protocol/v2/messages.ts";
import type { ChainTransaction } from "../../chain.ts";
import type { DepositEvent, PoolEvent, RefusedEvent } from "./pool_events.ts";

const COMMENT_OP = 0;

export function decodePoolEvents(pool: Address, { id, now, raw }: ChainTransaction): PoolEvent[] {
  const message = raw.inMessage;
  if (message?.info.type !== "internal" || message.info.bounced) return [];
  const { op, queryId } = readHeader(message.body);
  const base = {
    tx: id,
    timestamp: now,
    sender: message.info.src,
    queryId,
    messageHash: inboundMessageCell(raw).hash().toString("hex"),
  };
  const notification = op === opCodes.transfer_notification
    ? tryLoad(() => loadTransferNotification(message.body))
    : undefined;
  const jetton = notification?.sender ? { depositor: notification.sender } : {};
  if (!succeeded(raw)) {
    const refusals = describeRefusals(op, message.body);
    const costs = shareCost(raw, refusals.length);
    return refusals.map((refusal, i): RefusedEvent => ({
      ...base,
      ...jetton,
      kind: "refused",
      exitCode: failureCode(raw),
      ...refusal,
      ...refusal.op !== "deposit" && { cost: costs[i] },
    }));
  }
  const logs = decodePoolLogs(pool, raw);
  const costs = shareCost(raw, logs.filter(({ kind }) => kind === "withdrawal").length || 1);
  return logs.flatMap((log): PoolEvent[] => {
    if (log.kind === "deposit") return [{ ...base, ...jetton, ...log, timestamp: now }];
    if (log.kind === "withdrawal") return [{ ...base, ...log, timestamp: now, cost: costs.shift() }];
    if (log.kind === "settlement") return [{ ...base, ...log, timestamp: now, cost: costs.shift() }];
    if (log.kind === "skipped") return [{ ...base, ...log, timestamp: now }];
    return []; // refused payouts are logged on bounced messages, excluded above
  });
}

type Refusal = Pick<RefusedEvent, "op" | "commitment" | "leafIndex" | "nullifierHash">;

/** The sender may use any 256 bits; values outside the field are ignored. */
function describeRefusals(op: number | undefined, body: Cell): Refusal[] {
  switch (op) {
    case opCodes.deposit:
      return [{ op: "deposit", ...decodeDeposit(() => loadDeposit(body)) }];
    case opCodes.transfer_notification:
      return [{
        op: "deposit",
        ...decodeDeposit(() => loadNotifiedDeposit(loadTransferNotification(body))) ??
          decodeDeposit(() => loadNotifiedEnqueue(loadTransferNotification(body))),
      }];
    case v2OpCodes.enqueue:
      return [{ op: "deposit", ...decodeDeposit(() => loadEnqueue(body)) }];
    case COMMENT_OP: {
      const commitment = loadDepositComment(body);
      return [{ op: "deposit", ...commitment !== undefined && decodeDeposit(() => ({ commitment })) }];
    }
    case opCodes.withdraw:
      return [decodeWithdrawal(() => loadWithdraw(body))];
    case v2OpCodes.withdraw2:
      return [decodeWithdrawal(() => loadWithdraw2(body))];
    case v2OpCodes.withdraw_many: {
      const requests = tryLoad(() => loadWithdrawMany(body).requests);
      return (requests?.map((request) => decodeWithdrawal(() => request)) ?? [{}])
        .map((refusal): Refusal => ({ ...refusal, op: "withdraw_many" }));
    }
    case v2OpCodes.settle:
      return [{ op: "settle" }];
    default:
      return [];
  }
}

function decodeDeposit(load: () => { commitment: bigint; leafIndex?: number }) {
  return tryLoad(() => {
    const { commitment, leafIndex } = load();
    return { commitment: assertFieldElement(commitment), ...leafIndex !== undefined && { leafIndex } };
  });
}

function decodeWithdrawal(load: () => { nullifierHash: bigint }): Refusal {
  return { op: "withdraw", nullifierHash: tryLoad(() => assertFieldElement(load().nullifierHash)) };
}

export function depositorOf({ sender, depositor }: DepositEvent | RefusedEvent): Address {
  return depositor ?? sender;
}

/** Divides what this transaction cost the sender of its inbound message, in nano. The parts sum up to it. */
function shareCost(transaction: Transaction, parts: number): bigint[] {
  const [cost, count] = [netMessageCost(transaction), BigInt(parts)];
  return Array.from({ length: parts }, (_, i) => (cost * BigInt(i + 1)) / count - (cost * BigInt(i)) / count);
}

function netMessageCost({ inMessage, outMessages }: Transaction): bigint {
  if (inMessage?.info.type !== "internal") return 0n;
  const { src, value } = inMessage.info;
  const back = outMessages.values().flatMap(({ info }) =>
    info.type === "internal" && info.dest.equals(src) ? [info.value.coins] : []
  );
  return back.reduce((cost, coins) => cost - coins, value.coins);
}

/** TVM's exit codes 0 and 1 both mean success. */
function isSuccessExitCode(exitCode: number): boolean {
  return exitCode === 0 || exitCode === 1;
}

function decodePoolLogs(pool: Address, { outMessages }: Transaction) {
  return outMessages.values().flatMap(({ info, body }) => {
    if (info.type !== "external-out" || !info.src.equals(pool)) return [];
    const log = tryLoad(() => loadV2PoolLog(body));
    return log ? [log] : [];
  });
}

/** A pool that returns a deposit commits, then throws: a success to the chain, a rejection here. */
function succeeded({ description }: Transaction): boolean {
  return description.type === "generic" && !description.aborted &&
    description.computePhase.type === "vm" && description.computePhase.success &&
    isSuccessExitCode(description.computePhase.exitCode) && description.actionPhase?.success === true;
}

function failureCode({ description }: Transaction): number | undefined {
  if (description.type !== "generic" || description.computePhase.type !== "vm") return undefined;
  const { computePhase, actionPhase } = description;
  const ended = computePhase.success && isSuccessExitCode(computePhase.exitCode);
  return ended ? actionPhase?.resultCode : computePhase.exitCode;
}

function readHeader(body: Cell): { op?: number; queryId: bigint } {
  if (body.isExotic) return { queryId: 0n };
  const slice = body.beginParse();
  const op = slice.remainingBits >= 32 ? slice.loadUint(32) : undefined;
  const hasQueryId = op !== COMMENT_OP && slice.remainingBits >= 64;
  return { op, queryId: hasQueryId ? slice.loadUintBig(64) : 0n };
}

/** Returns the original cell of the inbound message: serialized again, it could have another hash. */
function inboundMessageCell({ raw }: Transaction): Cell {
  return raw.refs[0].refs[0];
}

function tryLoad<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
