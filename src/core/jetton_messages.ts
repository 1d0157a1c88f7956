/**
 * Bodies of the jetton standard that a deposit and its refusal go through: what a depositor sends to its own wallet, and
 * what comes back. TEP-74 has the layout; loading is strict.
 */
import { type Address, beginCell, type Cell, type Slice } from "@ton/core";
import { type ExitCodeName, exitCodeName, Problem } from "./errors.ts";
import { type DepositBody, loadDeposit, opCodes } from "./messages.ts";

/** A transfer of jettons, for the sender's own wallet. */
export interface JettonTransferBody {
  readonly queryId: bigint;
  /** In the jetton's smallest unit. */
  readonly amount: bigint;
  /** Owner of the wallet that is to hold them; for a deposit the pool. */
  readonly destination: Address;
  /** Gets what is left of the attached value. */
  readonly responseDestination: Address;
  /** Nano that the destination is told with; for a deposit what `get_deposit_value` says. */
  readonly forwardAmount: bigint;
  /** For a deposit its body; null: nothing is said. */
  readonly forwardPayload: Cell | null;
}

/** What a wallet tells its owner of jettons that came. */
export interface TransferNotification {
  readonly queryId: bigint;
  readonly amount: bigint;
  /** Whose jettons they were; null when they were minted by nobody. */
  readonly sender: Address | null;
  /** Whether it came in a reference or not. */
  readonly forwardPayload: Cell;
}

/** Writes a transfer. */
export function storeJettonTransfer(body: JettonTransferBody): Cell {
  return beginCell()
    .storeUint(opCodes.transfer, 32)
    .storeUint(body.queryId, 64)
    .storeCoins(body.amount)
    .storeAddress(body.destination)
    .storeAddress(body.responseDestination)
    .storeBit(false) // custom_payload
    .storeCoins(body.forwardAmount)
    .storeMaybeRef(body.forwardPayload) // Either Cell ^Cell has the same bits; null is an empty payload
    .endCell();
}

/**
 * Reads a transfer notification.
 *
 * @throws {Problem} `invalid_request` when it is another body
 */
export function loadTransferNotification(body: Cell): TransferNotification {
  return reading("transfer notification", body, opCodes.transfer_notification, (slice) => ({
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    sender: slice.loadMaybeAddress(),
    forwardPayload: slice.loadBit() ? slice.loadRef() : restOf(slice),
  }));
}

/**
 * The deposit that a notification carries; a pool takes it from a reference only, which nobody can tell here any more.
 *
 * @throws {Problem} `invalid_request` when it is another payload
 */
export function depositOf({ forwardPayload }: TransferNotification): DepositBody {
  return loadDeposit(forwardPayload);
}

/**
 * Reads why a pool gave a deposit back, from the forward payload that came with the jettons.
 *
 * @returns the exit code's name
 * @throws {Problem} `invalid_request` when it is another payload, or a code that no pool has
 */
export function loadDepositRefused(payload: Cell): ExitCodeName {
  const code = reading(
    "refusal of a deposit",
    payload,
    opCodes.deposit_refused,
    (slice) => slice.loadUint(16),
  );
  const name = exitCodeName(code);
  if (name === undefined) throw new Problem("invalid_request", `no pool refuses with ${code}`);
  return name;
}

function restOf(slice: Slice): Cell {
  const rest = slice.asCell();
  slice.skip(slice.remainingBits);
  while (slice.remainingRefs > 0) slice.loadRef();
  return rest;
}

function reading<T>(what: string, body: Cell, op: number, load: (slice: Slice) => T): T {
  try {
    const slice = body.beginParse();
    if (slice.loadUint(32) !== op) throw new Error("another op");
    const read = load(slice);
    slice.endParse();
    return read;
  } catch (cause) {
    throw new Problem("invalid_request", `this is no ${what}`, { cause });
  }
}
