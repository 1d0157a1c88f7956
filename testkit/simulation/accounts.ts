/**
 * Models of the two accounts in a simulation, the relayer's wallet and a pool: the messages that they accept
 * and send.
 */
import { type Address, beginCell, Cell, loadMessage, loadMessageRelaxed, loadOutList } from "@ton/core";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { WalletContractV5R1 } from "@ton/ton/dist/wallets/WalletContractV5R1.js";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../src/core/tree/merkle_tree.ts";
import { loadWithdraw, type WithdrawBody } from "../../src/core/protocol/messages/pool_messages.ts";
import { networkGlobalId } from "../../src/core/protocol/network.ts";
import type { WalletVersion } from "../../src/ton/wallet/wallet.ts";

interface WalletMessage {
  readonly to: Address;
  readonly value: bigint;
  readonly body: Cell;
}

/** The contents of an external message to a wallet. */
export interface DecodedTransfer {
  readonly seqno: number;
  readonly validUntil: number;
  readonly messages: readonly WalletMessage[];
}

const SIGNATURE_BITS = 512;
const HEADER_BITS = 32 + 32;

/** Returns a wallet account: its code, and its data at a seqno. */
export function walletAccount(version: WalletVersion, publicKey: Buffer) {
  const v5 = version === "v5R1";
  const contract = v5
    ? WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId: networkGlobalId("localnet") } })
    : WalletContractV4.create({ workchain: 0, publicKey });
  const { code, data: fresh } = contract.init;
  const data = (seqno: number): Cell => {
    const rest = fresh.beginParse();
    const builder = beginCell();
    if (v5) builder.storeBit(rest.loadBit());
    return builder.storeUint(seqno + rest.loadUint(32), 32).storeSlice(rest).endCell();
  };
  return { address: contract.address, code, data, read: v5 ? readV5 : readV4 };
}

function readV4(body: Cell): DecodedTransfer {
  const slice = body.beginParse().skip(SIGNATURE_BITS + 32);
  const [validUntil, seqno] = [slice.loadUint(32), slice.loadUint(32)];
  slice.skip(8);
  const orders: WalletMessage[] = [];
  while (slice.remainingRefs > 0) {
    slice.skip(8);
    orders.push(orderOf(loadMessageRelaxed(slice.loadRef().beginParse())));
  }
  return { seqno, validUntil, messages: orders };
}

function readV5(body: Cell): DecodedTransfer {
  const slice = body.beginParse().skip(HEADER_BITS);
  const [validUntil, seqno] = [slice.loadUint(32), slice.loadUint(32)];
  const list = slice.loadMaybeRef();
  const actions = list ? loadOutList(list.beginParse()) : [];
  const orders = actions.flatMap((action) => action.type === "sendMsg" ? [orderOf(action.outMsg)] : []);
  return { seqno, validUntil, messages: orders };
}

function orderOf({ info, body }: ReturnType<typeof loadMessageRelaxed>): WalletMessage {
  if (info.type !== "internal") throw new Error("a wallet of ours sends internal messages only");
  return { to: info.dest, value: info.value.coins, body };
}

/** Returns the body of an external message. */
export function externalBody(message: Cell): Cell {
  return loadMessage(message.beginParse()).body;
}

/** The cost of a withdrawal to its sender, and the value that it needs. */
const WITHDRAW_COST = 20_000_000n;
export const WITHDRAW_VALUE = 50_000_000n;

/** A pool: its tree, roots and spent notes. A proof is valid if its public inputs are those of the note. */
export class SimulatedPool {
  readonly tree = new MerkleTree();
  /** Roots, newest first. */
  roots: readonly bigint[] = [this.tree.root];
  /** The submitter by nullifier hash. */
  readonly spent = new Map<bigint, Address>();
  /** Every payment, oldest first. */
  readonly payments: { readonly request: WithdrawBody; readonly sender: Address }[] = [];
  paid = 0n;

  /** @param options whether fees are coins, and the cost of a withdrawal to its sender in nano */
  constructor(
    readonly address: Address,
    readonly denomination: bigint,
    readonly options: { readonly isNative: boolean; readonly withdrawCost: bigint } = {
      isNative: true,
      withdrawCost: WITHDRAW_COST,
    },
  ) {}

  deposit(commitment: bigint): void {
    this.tree.append(commitment);
    this.roots = [this.tree.root, ...this.roots].slice(0, ROOT_HISTORY_SIZE);
  }

  /** Returns the exit code, and the body if it is a withdrawal. */
  withdraw(body: Cell, value: bigint, sender: Address): { exitCode: number; request?: WithdrawBody } {
    let request: WithdrawBody;
    try {
      request = loadWithdraw(body);
    } catch {
      return { exitCode: exitCodes.ERR_MALFORMED };
    }
    const exitCode = this.#refusal(request, value);
    if (exitCode !== 0) return { exitCode, request };
    this.spent.set(request.nullifierHash, sender);
    this.payments.push({ request, sender });
    this.paid += this.denomination;
    return { exitCode, request };
  }

  #refusal({ root, nullifierHash, refund, fee }: WithdrawBody, value: bigint): number {
    if (!this.roots.includes(root)) return exitCodes.ERR_UNKNOWN_ROOT;
    if (this.spent.has(nullifierHash)) return exitCodes.ERR_ALREADY_SPENT;
    if (fee === FORGED_FEE) return exitCodes.ERR_PROOF_INVALID;
    return value < WITHDRAW_VALUE + refund ? exitCodes.ERR_INSUFFICIENT_VALUE : 0;
  }
}

/** The fee of a message whose proof is invalid. */
export const FORGED_FEE = 123n;
