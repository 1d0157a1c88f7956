/** Bodies of a pool's messages and logs (`contracts/v1/types.tlb`). Loading rejects any other length or op. */
import { type Address, beginCell, type Builder, type Cell, type Slice } from "@ton/core";
import { Problem } from "../../errors/problem.ts";

/** crc32 of the TL-B line without its tag, & 0x7fffffff. Jetton ops have the values of TEP-74 and TEP-89. */
export const opCodes = {
  deposit: 0x7c790d27,
  withdraw: 0x12b4e521,
  admin_pause: 0x05a5864e,
  admin_unpause: 0x7a7030b7,
  admin_recover_stuck: 0x05a1f155,
  discover_jetton_wallet: 0x12f942cc,
  retry_payout: 0x5a262dc5,
  deposit_log: 0x10570ca8,
  withdrawal_log: 0x230a8cd5,
  payout_claimed: 0x461500a2,
  payout_lost: 0x6489e0f9,
  deposit_refused: 0x77776663,
  transfer: 0x0f8a7ea5,
  transfer_notification: 0x7362d09c,
  excesses: 0xd53276db,
  provide_wallet_address: 0x2c76b973,
  take_wallet_address: 0xd1735400,
} as const;

/** A deposit. The message's value is exactly the denomination. */
export interface DepositBody {
  /** Clients send 0 to avoid a fingerprint. */
  readonly queryId: bigint;
  readonly commitment: bigint;
  readonly newRoot: bigint;
  readonly leafIndex: number;
  readonly proof: Cell;
}

/** The payees of a withdrawal. */
export interface WithdrawParties {
  readonly recipient: Address;
  /** null: no relayer, and the fee is 0. */
  readonly relayer: Address | null;
}

/** A withdrawal; the fee in the pool's smallest unit, the refund in nano. */
export interface WithdrawBody extends WithdrawParties {
  readonly queryId: bigint;
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly proof: Cell;
}

/** The log of an accepted deposit; `timestamp` is the block's time in Unix seconds. */
export interface DepositLog {
  readonly kind: "deposit";
  readonly commitment: bigint;
  readonly leafIndex: number;
  readonly timestamp: number;
}

/** The log of an accepted withdrawal. */
export interface WithdrawalLog extends WithdrawParties {
  readonly kind: "withdrawal";
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** A payout that a jetton wallet refused. The pool keeps it as a claim; without room for it, it is lost. */
export interface RefusedPayoutLog {
  readonly kind: "payout_claimed" | "payout_lost";
  readonly claimId: bigint;
  /** In the jetton's smallest unit. */
  readonly amount: bigint;
  readonly destination: Address;
}

/** A log of a pool. */
export type PoolLog = DepositLog | WithdrawalLog | RefusedPayoutLog;

/**
 * Returns the message body of a deposit.
 * @example
 * ```ts
 * const body = storeDeposit({ queryId: 0n, commitment, newRoot, leafIndex, proof: proofToCell(proof) });
 * ```
 */
export function storeDeposit(body: DepositBody): Cell {
  return beginBody(opCodes.deposit, body.queryId)
    .storeUint(body.commitment, 256)
    .storeUint(body.newRoot, 256)
    .storeUint(body.leafIndex, 32)
    .storeRef(body.proof)
    .endCell();
}

/**
 * Reads the message body of a deposit.
 * @throws {Problem} `invalid_request` for any other body
 * @example
 * ```ts
 * const { commitment, leafIndex } = loadDeposit(message.body);
 * ```
 */
export function loadDeposit(cell: Cell): DepositBody {
  return loadStrict(cell, opCodes.deposit, "deposit body", (slice) => ({
    queryId: slice.loadUintBig(64),
    commitment: slice.loadUintBig(256),
    newRoot: slice.loadUintBig(256),
    leafIndex: slice.loadUint(32),
    proof: slice.loadRef(),
  }));
}

/**
 * Returns the message body of a withdrawal.
 * @param body `fee` in the smallest unit of the pool's asset, `refund` in nano
 * @example
 * ```ts
 * const body = storeWithdraw({ queryId: 0n, root, nullifierHash, fee, refund, recipient, relayer, proof });
 * ```
 */
export function storeWithdraw(body: WithdrawBody): Cell {
  return beginBody(opCodes.withdraw, body.queryId)
    .storeUint(body.root, 256)
    .storeUint(body.nullifierHash, 256)
    .storeCoins(body.fee)
    .storeCoins(body.refund)
    .storeRef(storeParties(body))
    .storeRef(body.proof)
    .endCell();
}

/**
 * Reads the message body of a withdrawal.
 * @throws {Problem} `invalid_request` for any other body
 * @example
 * ```ts
 * const { nullifierHash, recipient, fee } = loadWithdraw(message.body);
 * ```
 */
export function loadWithdraw(cell: Cell): WithdrawBody {
  return loadStrict(cell, opCodes.withdraw, "withdraw body", (slice) => ({
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
 * Reads the body of a pool's external out-message, its log. Returns undefined for any other op.
 * @throws {Problem} `invalid_request` if the op is that of a log and the body does not match it
 * @example
 * ```ts
 * const log = loadPoolLog(message.body);
 * if (log?.kind === "deposit") console.log(log.leafIndex, log.timestamp);
 * ```
 */
export function loadPoolLog(body: Cell): PoolLog | undefined {
  const op = opOf(body);
  if (op === opCodes.deposit_log) {
    return loadStrict(body, op, "deposit log body", (rest) => ({
      kind: "deposit",
      commitment: rest.loadUintBig(256),
      leafIndex: rest.loadUint(32),
      timestamp: rest.loadUint(32),
    }));
  }
  if (op === opCodes.withdrawal_log) {
    return loadStrict(body, op, "withdrawal log body", (rest) => ({
      kind: "withdrawal",
      nullifierHash: rest.loadUintBig(256),
      fee: rest.loadCoins(),
      refund: rest.loadCoins(),
      ...loadParties(rest.loadRef()),
    }));
  }
  for (const kind of ["payout_claimed", "payout_lost"] as const) {
    if (op !== opCodes[kind]) continue;
    return loadStrict(body, op, "payout log body", (rest) => ({
      kind,
      claimId: rest.loadUintBig(64),
      amount: rest.loadCoins(),
      destination: rest.loadAddress(),
    }));
  }
  return undefined;
}

/** Makes a jetton pool ask the jetton's master for its wallet's address. Anyone may send it. */
export function storeDiscoverJettonWallet(queryId = 0n): Cell {
  return beginBody(opCodes.discover_jetton_wallet, queryId).endCell();
}

/**
 * Returns the message body that makes a jetton pool pay a claim again. Anyone may send it.
 * @param claimId number of the claim, as in the pool's logs
 * @param queryId any number below 2^64
 * @example
 * ```ts
 * const body = storeRetryPayout(claim.id);
 * ```
 */
export function storeRetryPayout(claimId: bigint, queryId = 0n): Cell {
  return beginBody(opCodes.retry_payout, queryId).storeUint(claimId, 64).endCell();
}

export function storeParties({ recipient, relayer }: WithdrawParties): Cell {
  return beginCell().storeAddress(recipient).storeAddress(relayer).endCell();
}

export function loadParties(cell: Cell): WithdrawParties {
  const slice = cell.beginParse();
  const parties = { recipient: slice.loadAddress(), relayer: slice.loadMaybeAddress() };
  slice.endParse();
  return parties;
}

export function beginBody(op: number, queryId: bigint): Builder {
  return beginCell().storeUint(op, 32).storeUint(queryId, 64);
}

/** Returns undefined for a body without an op. */
export function opOf(body: Cell): number | undefined {
  const slice = body.beginParse();
  return slice.remainingBits >= 32 ? slice.preloadUint(32) : undefined;
}

export function loadStrict<T>(cell: Cell, op: number, what: string, load: (slice: Slice) => T): T {
  try {
    const slice = cell.beginParse();
    if (slice.loadUint(32) !== op) throw new Error("another op");
    const body = load(slice);
    slice.endParse();
    return body;
  } catch (cause) {
    throw new Problem("invalid_request", `not a ${what}`, { cause });
  }
}
