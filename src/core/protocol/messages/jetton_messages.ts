/** TEP-74 message bodies of a jetton deposit and of its return. Loading is strict. */
import { type Address, type Cell, type Slice } from "@ton/core";
import { type ExitCodeName, exitCodeName, Problem } from "../../errors/problem.ts";
import { type EnqueueBody, loadEnqueue } from "../v2/messages.ts";
import { beginBody, type DepositBody, loadDeposit, loadStrict, opCodes } from "./pool_messages.ts";

interface JettonTransferBody {
  readonly queryId: bigint;
  readonly amount: bigint; // in the jetton's smallest unit
  readonly destination: Address;
  readonly responseDestination: Address;
  /** Nano to forward to the destination; for a deposit, the result of `get_deposit_value`. */
  readonly forwardAmount: bigint;
  readonly forwardPayload: Cell | null;
}

interface TransferNotification {
  readonly queryId: bigint;
  readonly amount: bigint;
  readonly sender: Address | null;
  readonly forwardPayload: Cell;
}

export function storeJettonTransfer(body: JettonTransferBody): Cell {
  return beginBody(opCodes.transfer, body.queryId)
    .storeCoins(body.amount)
    .storeAddress(body.destination)
    .storeAddress(body.responseDestination)
    .storeBit(false) // custom_payload
    .storeCoins(body.forwardAmount)
    .storeMaybeRef(body.forwardPayload) // Either Cell ^Cell has the same bits; null is an empty payload
    .endCell();
}

export function loadTransferNotification(body: Cell): TransferNotification {
  return loadStrict(body, opCodes.transfer_notification, "transfer notification", (slice) => ({
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    sender: slice.loadMaybeAddress(),
    forwardPayload: slice.loadBit() ? slice.loadRef() : loadRemainder(slice),
  }));
}

/** Reads the deposit in a notification. Whether it was in a reference, as pools require, is not checked. */
export function loadNotifiedDeposit({ forwardPayload }: TransferNotification): DepositBody {
  return loadDeposit(forwardPayload);
}

/** The same for a pool of version 2. */
export function loadNotifiedEnqueue({ forwardPayload }: TransferNotification): EnqueueBody {
  return loadEnqueue(forwardPayload);
}

export function loadDepositRefusal(payload: Cell): ExitCodeName {
  const code = loadStrict(
    payload,
    opCodes.deposit_refused,
    "refusal of a deposit",
    (slice) => slice.loadUint(16),
  );
  const name = exitCodeName(code);
  if (name === undefined) throw new Problem("invalid_request", `no pool refuses with ${code}`);
  return name;
}

function loadRemainder(slice: Slice): Cell {
  const rest = slice.asCell();
  slice.skip(slice.remainingBits);
  while (slice.remainingRefs > 0) slice.loadRef();
  return rest;
}
