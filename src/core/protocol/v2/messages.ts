/** Messages and logs as `contracts/v2/types.tlb` defines them. Loading rejects any other length or op. */
import { beginCell, type Cell, type Slice } from "@ton/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import {
  beginBody,
  loadParties,
  loadPoolLog,
  loadStrict,
  opOf,
  type PoolLog,
  storeParties,
  type WithdrawBody,
} from "../messages/pool_messages.ts";

/** Op codes: crc32 of the TL-B line without its tag, & 0x7fffffff. Logs of deposits and withdrawals are version 1's. */
export const v2OpCodes = {
  enqueue: 0x32e7d1ec,
  settle: 0x7dab05e3,
  withdraw2: 0x5c3c464b,
  withdraw_many: 0x331ac015,
  settlement_log: 0x23dfe497,
  skipped_log: 0x30656a63,
} as const;

/** A deposit. The message's value is exactly the denomination. */
export interface EnqueueBody {
  readonly queryId: bigint;
  readonly commitment: bigint;
}

interface SettleBody {
  readonly queryId: bigint;
  readonly newRoot: bigint;
  readonly end: number;
  readonly proof: Cell; // proof of `settle16`, bound to the sender
}

/** One withdrawal; the fee in the pool's smallest unit, the refund in nano. */
export interface WithdrawRequest extends Omit<WithdrawBody, "queryId"> {
  readonly rootNumber: number;
  /** The path of the nullifier hash's slot; null if the slot is empty. */
  readonly carried: Cell | null;
}

/** The log of a settlement: the tree has the root `newRoot` with the first `end` leaves. */
export interface SettlementLog {
  readonly kind: "settlement";
  readonly rootNumber: number;
  readonly newRoot: bigint;
  readonly end: number;
  readonly timestamp: number;
}

/** A withdrawal of a batch that was not paid; `code` is its exit code. The others were paid. */
interface SkippedLog {
  readonly kind: "skipped";
  readonly nullifierHash: bigint;
  readonly code: number;
}

const COMMENT_LENGTH = 79; // characters of a deposit by comment
const COMMENT_PREFIX_BITS = 88; // op and "tonado:"
const MAX_COMMENT_CELLS = 4;

/** A log of a pool of either version. */
export type LogMessage = PoolLog | SettlementLog | SkippedLog;

export function storeEnqueue({ queryId, commitment }: EnqueueBody): Cell {
  return beginBody(v2OpCodes.enqueue, queryId).storeUint(commitment, 256).endCell();
}

export function loadEnqueue(cell: Cell): EnqueueBody {
  return loadStrict(cell, v2OpCodes.enqueue, "deposit body", (slice) => ({
    queryId: slice.loadUintBig(64),
    commitment: slice.loadUintBig(256),
  }));
}

/** Returns the comment of a deposit: `tonado:`, the commitment in 64 hex digits, 8 digits of its SHA-256. */
export function depositComment(commitment: bigint): string {
  const hex = commitment.toString(16).padStart(64, "0");
  return `tonado:${hex}${bytesToHex(sha256(hexToBytes(hex))).slice(0, 8)}`;
}

/** Returns undefined if the pool would refuse the comment. The commitment may be outside the field. */
export function parseDepositComment(comment: string): bigint | undefined {
  const digits = /^tonado:([0-9a-fA-F]{64})[0-9a-fA-F]{8}$/.exec(comment)?.[1];
  if (digits === undefined) return undefined;
  const commitment = BigInt(`0x${digits}`);
  return comment.toLowerCase() === depositComment(commitment) && comment.startsWith("tonado:")
    ? commitment
    : undefined;
}

export function storeDepositComment(commitment: bigint): Cell {
  return beginCell().storeUint(0, 32).storeBuffer(Buffer.from(depositComment(commitment), "latin1"))
    .endCell();
}

/** Returns the commitment, or undefined for any body that the pool would refuse as a deposit comment. */
export function loadDepositComment(cell: Cell): bigint | undefined {
  const cells = commentCells(cell);
  if (cells === undefined) return undefined;
  if (cells.reduce((sum, { bits }) => sum + bits.length, 0) !== 32 + 8 * COMMENT_LENGTH) return undefined;
  const text = cells.reduce((builder, { bits }) => builder.storeBits(bits), beginCell()).asSlice();
  if (text.loadUint(32) !== 0) return undefined;
  return parseDepositComment(text.loadBuffer(COMMENT_LENGTH).toString("latin1"));
}

/** Wallets split a text into cells at any place, but the pool requires the whole prefix in the root. */
function commentCells(root: Cell): readonly Cell[] | undefined {
  if (root.bits.length < COMMENT_PREFIX_BITS) return undefined;
  const cells = [root];
  for (let last = root; last.refs.length > 0; cells.push(last)) {
    if (last.refs.length > 1 || cells.length === MAX_COMMENT_CELLS) return undefined;
    last = last.refs[0];
  }
  return cells.some(({ isExotic, bits }) => isExotic || bits.length === 0) ? undefined : cells;
}

export function storeSettle({ queryId, newRoot, end, proof }: SettleBody): Cell {
  return beginBody(v2OpCodes.settle, queryId).storeUint(newRoot, 256).storeUint(end, 32).storeRef(proof)
    .endCell();
}

export function loadSettle(cell: Cell): SettleBody {
  return loadStrict(cell, v2OpCodes.settle, "settlement body", (slice) => ({
    queryId: slice.loadUintBig(64),
    newRoot: slice.loadUintBig(256),
    end: slice.loadUint(32),
    proof: slice.loadRef(),
  }));
}

export function storeWithdraw2(request: WithdrawRequest, queryId: bigint): Cell {
  return beginBody(v2OpCodes.withdraw2, queryId).storeBuilder(packRequest(request)).endCell();
}

export function loadWithdraw2(cell: Cell): WithdrawRequest & { readonly queryId: bigint } {
  return loadStrict(cell, v2OpCodes.withdraw2, "withdrawal body", (slice) => ({
    queryId: slice.loadUintBig(64),
    ...unpackRequest(slice),
  }));
}

/** Each withdrawal carries its path after the earlier ones. Throws a RangeError for an empty list. */
export function storeWithdrawMany(requests: readonly WithdrawRequest[], queryId: bigint): Cell {
  let items: Cell | null = null;
  for (const request of requests.toReversed()) {
    items = beginCell().storeBuilder(packRequest(request)).storeMaybeRef(items).endCell();
  }
  if (items === null) throw new RangeError("a batch has at least one withdrawal");
  return beginBody(v2OpCodes.withdraw_many, queryId).storeRef(items).endCell();
}

export function loadWithdrawMany(
  cell: Cell,
): { readonly queryId: bigint; readonly requests: readonly WithdrawRequest[] } {
  return loadStrict(cell, v2OpCodes.withdraw_many, "batch of withdrawals body", (slice) => {
    const queryId = slice.loadUintBig(64);
    const requests: WithdrawRequest[] = [];
    for (let items: Cell | null = slice.loadRef(); items !== null;) {
      const item: Slice = items.beginParse();
      requests.push(unpackRequest(item));
      items = item.loadMaybeRef();
      item.endParse();
    }
    return { queryId, requests };
  });
}

export function loadV2PoolLog(body: Cell): LogMessage | undefined {
  const op = opOf(body);
  if (op === v2OpCodes.settlement_log) {
    return loadStrict(body, op, "settlement log body", (rest) => ({
      kind: "settlement",
      rootNumber: rest.loadUint(32),
      newRoot: rest.loadUintBig(256),
      end: rest.loadUint(32),
      timestamp: rest.loadUint(32),
    }));
  }
  if (op === v2OpCodes.skipped_log) {
    return loadStrict(body, op, "skipped log body", (rest) => ({
      kind: "skipped",
      nullifierHash: rest.loadUintBig(256),
      code: rest.loadUint(16),
    }));
  }
  return loadPoolLog(body);
}

function packRequest(request: WithdrawRequest) {
  return beginCell().storeUint(request.root, 256).storeUint(request.rootNumber, 32)
    .storeUint(request.nullifierHash, 256).storeCoins(request.fee).storeCoins(request.refund)
    .storeRef(storeParties(request)).storeRef(request.proof).storeMaybeRef(request.carried);
}

function unpackRequest(slice: Slice): WithdrawRequest {
  return {
    root: slice.loadUintBig(256),
    rootNumber: slice.loadUint(32),
    nullifierHash: slice.loadUintBig(256),
    fee: slice.loadCoins(),
    refund: slice.loadCoins(),
    ...loadParties(slice.loadRef()),
    proof: slice.loadRef(),
    carried: slice.loadMaybeRef(),
  };
}
