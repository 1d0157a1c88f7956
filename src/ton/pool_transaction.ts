/**
 * What one transaction of a pool means. Only logs that the pool emitted in a transaction that succeeded count; anything
 * may be sent to a pool, so nothing here throws for what it finds.
 */
import type { Address, Cell, Transaction } from "@ton/core";
import { assertFieldElement } from "../core/field.ts";
import { depositOf, loadTransferNotification } from "../core/jetton_messages.ts";
import { type DepositBody, loadDeposit, loadPoolLog, loadWithdraw, opCodes } from "../core/messages.ts";
import type { ChainTransaction } from "./chain.ts";
import type { DepositEvent, PoolEvent, RefusedEvent } from "./pool_event.ts";

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
  const notification = op === opCodes.transfer_notification
    ? attempt(() => loadTransferNotification(message.body))
    : undefined;
  const jetton = notification?.sender ? { depositor: notification.sender } : {};
  if (succeeded(raw)) {
    return poolLogs(pool, raw).map((log) =>
      log.kind === "deposit"
        ? { ...base, ...jetton, ...log, timestamp: now }
        : { ...base, ...log, timestamp: now, cost: costOf(raw) }
    );
  }
  // A stranger's message may carry any 256 bits: what is no field element is no key of anything.
  if (op === opCodes.deposit) {
    const named = refusedDeposit(() => loadDeposit(message.body));
    return [{ ...base, kind: "refused", op: "deposit", exitCode: exitCode(raw), ...named }];
  }
  if (op === opCodes.transfer_notification) {
    const named = notification && refusedDeposit(() => depositOf(notification));
    return [{ ...base, ...jetton, kind: "refused", op: "deposit", exitCode: exitCode(raw), ...named }];
  }
  if (op === opCodes.withdraw) {
    const nullifierHash = attempt(() => assertFieldElement(loadWithdraw(message.body).nullifierHash));
    const refusal = { ...base, kind: "refused", op: "withdraw", exitCode: exitCode(raw) } as const;
    return [{ ...refusal, nullifierHash, cost: costOf(raw) }];
  }
  return [];
}

/** The commitment and the leaf of a refused deposit, unless its body is malformed. */
function refusedDeposit(load: () => DepositBody): Pick<RefusedEvent, "commitment" | "leafIndex"> | undefined {
  return attempt(() => {
    const { commitment, leafIndex } = load();
    return { commitment: assertFieldElement(commitment), leafIndex };
  });
}

/** Who paid a deposit: of jettons whoever sent them, not the wallet that held them. */
export function depositorOf({ sender, depositor }: DepositEvent): Address {
  return depositor ?? sender;
}

/** What the sender of the inbound message paid for this transaction, in nano. */
function costOf({ inMessage, outMessages }: Transaction): bigint {
  if (inMessage?.info.type !== "internal") return 0n;
  const { src, value } = inMessage.info;
  const back = outMessages.values().flatMap(({ info }) =>
    info.type === "internal" && info.dest.equals(src) ? [info.value.coins] : []
  );
  return back.reduce((cost, coins) => cost - coins, value.coins);
}

/** TVM's exit codes 0 and 1 are both a success. */
function endsWell(exitCode: number): boolean {
  return exitCode === 0 || exitCode === 1;
}

function poolLogs(pool: Address, { outMessages }: Transaction) {
  return outMessages.values().flatMap(({ info, body }) => {
    if (info.type !== "external-out" || !info.src.equals(pool)) return [];
    const log = attempt(() => loadPoolLog(body));
    return log ? [log] : [];
  });
}

/**
 * A compute phase that committed before it threw counts as a success on chain, with its exit code: so a jetton pool gives
 * a deposit back. Here it is a refusal.
 */
function succeeded({ description }: Transaction): boolean {
  return description.type === "generic" && !description.aborted &&
    description.computePhase.type === "vm" && description.computePhase.success &&
    endsWell(description.computePhase.exitCode) && description.actionPhase?.success === true;
}

function exitCode({ description }: Transaction): number | undefined {
  if (description.type !== "generic" || description.computePhase.type !== "vm") return undefined;
  const { computePhase, actionPhase } = description;
  const ended = computePhase.success && endsWell(computePhase.exitCode);
  return ended ? actionPhase?.resultCode : computePhase.exitCode;
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
