/** Decodes a pool's transactions. Only logs of successful ones count. Malformed data never throws. */
import type { Address, Cell, Transaction } from "@ton/core";
import { assertFieldElement } from "../../core/crypto/field.ts";
import { loadNotifiedDeposit, loadTransferNotification } from "../../core/protocol/jetton_messages.ts";
import {
  type DepositBody,
  loadDeposit,
  loadPoolLog,
  loadWithdraw,
  opCodes,
} from "../../core/protocol/messages.ts";
import type { ChainTransaction } from "../chain.ts";
import type { DepositEvent, PoolEvent, RefusedEvent } from "./pool_events.ts";

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
  if (succeeded(raw)) {
    return decodePoolLogs(pool, raw).flatMap((log): PoolEvent[] => {
      if (log.kind === "deposit") return [{ ...base, ...jetton, ...log, timestamp: now }];
      if (log.kind === "withdrawal") return [{ ...base, ...log, timestamp: now, cost: netMessageCost(raw) }];
      return []; // refused payouts are logged on bounced messages, excluded above
    });
  }
  // The sender may use any 256 bits; values outside the field are ignored.
  if (op === opCodes.deposit) {
    const named = decodeRefusedDeposit(() => loadDeposit(message.body));
    return [{ ...base, kind: "refused", op: "deposit", exitCode: failureCode(raw), ...named }];
  }
  if (op === opCodes.transfer_notification) {
    const named = notification && decodeRefusedDeposit(() => loadNotifiedDeposit(notification));
    return [{ ...base, ...jetton, kind: "refused", op: "deposit", exitCode: failureCode(raw), ...named }];
  }
  if (op === opCodes.withdraw) {
    const nullifierHash = tryLoad(() => assertFieldElement(loadWithdraw(message.body).nullifierHash));
    const refusal = { ...base, kind: "refused", op: "withdraw", exitCode: failureCode(raw) } as const;
    return [{ ...refusal, nullifierHash, cost: netMessageCost(raw) }];
  }
  return [];
}

function decodeRefusedDeposit(
  load: () => DepositBody,
): Pick<RefusedEvent, "commitment" | "leafIndex"> | undefined {
  return tryLoad(() => {
    const { commitment, leafIndex } = load();
    return { commitment: assertFieldElement(commitment), leafIndex };
  });
}

export function depositorOf({ sender, depositor }: DepositEvent): Address {
  return depositor ?? sender;
}

/** Returns what this transaction cost the sender of its inbound message, in nano. */
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
    const log = tryLoad(() => loadPoolLog(body));
    return log ? [log] : [];
  });
}

/** A jetton pool that returns a deposit commits, then throws: a success to the chain, a rejection here. */
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
  const slice = body.beginParse();
  const op = slice.remainingBits >= 32 ? slice.loadUint(32) : undefined;
  return { op, queryId: slice.remainingBits >= 64 ? slice.loadUintBig(64) : 0n };
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
