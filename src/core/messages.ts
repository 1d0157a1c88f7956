/**
 * Bodies of the messages that a pool takes and of the logs that it emits, by `contracts/types.tlb`. Loading is strict:
 * what is longer, shorter or of another op is refused.
 */
import { type Address, beginCell, type Cell, type Slice } from "@ton/core";
import { Problem } from "./errors.ts";

/**
 * Op codes: crc32 of the TL-B line without its tag, & 0x7fffffff. Those of transfers and excesses are TEP-74's, those of
 * wallet addresses TEP-89's.
 */
export const opCodes = {
  deposit: 0x7c790d27,
  withdraw: 0x12b4e521,
  admin_pause: 0x05a5864e,
  admin_unpause: 0x7a7030b7,
  admin_recover_stuck: 0x05a1f155,
  discover_jetton_wallet: 0x12f942cc,
  deposit_log: 0x10570ca8,
  withdrawal_log: 0x230a8cd5,
  deposit_refused: 0x77776663,
  transfer: 0x0f8a7ea5,
  transfer_notification: 0x7362d09c,
  excesses: 0xd53276db,
  provide_wallet_address: 0x2c76b973,
  take_wallet_address: 0xd1735400,
} as const;

/** A deposit: `value` beside it is exactly the denomination. */
export interface DepositBody {
  /** Clients send 0, so that it does not fingerprint them. */
  readonly queryId: bigint;
  readonly commitment: bigint;
  readonly newRoot: bigint;
  readonly leafIndex: number;
  /** See {@linkcode proofToCell}. */
  readonly proof: Cell;
}

/** Who is paid by a withdrawal. */
export interface WithdrawParties {
  readonly recipient: Address;
  /** null: nobody relays, and the fee is 0. */
  readonly relayer: Address | null;
}

/** A withdrawal; fee and refund in nano. */
export interface WithdrawBody extends WithdrawParties {
  readonly queryId: bigint;
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly proof: Cell;
}

/** What a pool says of an accepted deposit; `timestamp` is unix seconds of the block. */
export interface DepositLog {
  readonly kind: "deposit";
  readonly commitment: bigint;
  readonly leafIndex: number;
  readonly timestamp: number;
}

/** What a pool says of an accepted withdrawal. */
export interface WithdrawalLog extends WithdrawParties {
  readonly kind: "withdrawal";
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** Writes a deposit body. */
export function storeDeposit(body: DepositBody): Cell {
  return beginCell()
    .storeUint(opCodes.deposit, 32)
    .storeUint(body.queryId, 64)
    .storeUint(body.commitment, 256)
    .storeUint(body.newRoot, 256)
    .storeUint(body.leafIndex, 32)
    .storeRef(body.proof)
    .endCell();
}

/**
 * Reads a deposit body.
 *
 * @throws {Problem} `invalid_request` when it is another body
 */
export function loadDeposit(cell: Cell): DepositBody {
  return strictly(cell, opCodes.deposit, "deposit", (slice) => ({
    queryId: slice.loadUintBig(64),
    commitment: slice.loadUintBig(256),
    newRoot: slice.loadUintBig(256),
    leafIndex: slice.loadUint(32),
    proof: slice.loadRef(),
  }));
}

/** Writes a withdraw body. */
export function storeWithdraw(body: WithdrawBody): Cell {
  return beginCell()
    .storeUint(opCodes.withdraw, 32)
    .storeUint(body.queryId, 64)
    .storeUint(body.root, 256)
    .storeUint(body.nullifierHash, 256)
    .storeCoins(body.fee)
    .storeCoins(body.refund)
    .storeRef(beginCell().storeAddress(body.recipient).storeAddress(body.relayer).endCell())
    .storeRef(body.proof)
    .endCell();
}

/**
 * Reads a withdraw body.
 *
 * @throws {Problem} `invalid_request` when it is another body
 */
export function loadWithdraw(cell: Cell): WithdrawBody {
  return strictly(cell, opCodes.withdraw, "withdraw", (slice) => ({
    queryId: slice.loadUintBig(64),
    root: slice.loadUintBig(256),
    nullifierHash: slice.loadUintBig(256),
    fee: slice.loadCoins(),
    refund: slice.loadCoins(),
    ...loadParties(slice.loadRef()),
    proof: slice.loadRef(),
  }));
}

/**
 * Reads the body of a pool's external out-message; undefined when its op is none of the pool's logs.
 *
 * @throws {Problem} `invalid_request` when the op is known and the rest does not fit it
 */
export function loadPoolLog(body: Cell): DepositLog | WithdrawalLog | undefined {
  const slice = body.beginParse();
  const op = slice.remainingBits >= 32 ? slice.preloadUint(32) : undefined;
  if (op === opCodes.deposit_log) {
    return strictly(body, op, "deposit log", (rest) => ({
      kind: "deposit",
      commitment: rest.loadUintBig(256),
      leafIndex: rest.loadUint(32),
      timestamp: rest.loadUint(32),
    }));
  }
  if (op === opCodes.withdrawal_log) {
    return strictly(body, op, "withdrawal log", (rest) => ({
      kind: "withdrawal",
      nullifierHash: rest.loadUintBig(256),
      fee: rest.loadCoins(),
      refund: rest.loadCoins(),
      ...loadParties(rest.loadRef()),
    }));
  }
  return undefined;
}

/** An admin message; `query_id` alone. */
export function storeAdmin(op: "admin_pause" | "admin_unpause", queryId = 0n): Cell {
  return beginCell().storeUint(opCodes[op], 32).storeUint(queryId, 64).endCell();
}

/** Makes a jetton pool ask its master for the address of its wallet; anyone may send it. */
export function storeDiscoverJettonWallet(queryId = 0n): Cell {
  return beginCell().storeUint(opCodes.discover_jetton_wallet, 32).storeUint(queryId, 64).endCell();
}

/** Sweeps `amount` nano of surplus to `destination`. */
export function storeRecoverStuck(amount: bigint, destination: Address, queryId = 0n): Cell {
  return beginCell()
    .storeUint(opCodes.admin_recover_stuck, 32)
    .storeUint(queryId, 64)
    .storeCoins(amount)
    .storeAddress(destination)
    .endCell();
}

function loadParties(cell: Cell): WithdrawParties {
  const slice = cell.beginParse();
  const parties = { recipient: slice.loadAddress(), relayer: slice.loadMaybeAddress() };
  slice.endParse();
  return parties;
}

function strictly<T>(cell: Cell, op: number, what: string, load: (slice: Slice) => T): T {
  try {
    const slice = cell.beginParse();
    if (slice.loadUint(32) !== op) throw new Error("another op");
    const body = load(slice);
    slice.endParse();
    return body;
  } catch (cause) {
    throw new Problem("invalid_request", `this is no ${what} body`, { cause });
  }
}
