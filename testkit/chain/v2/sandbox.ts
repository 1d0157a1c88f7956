/**
 * A version 2 pool in TON's emulator: the real contract with test verification keys (trapdoor_keys.ts), so
 * that tests choose commitments, roots and nullifier hashes freely. This module mirrors the queue and the
 * spent set, because settlements and withdrawals need them. It implements no rule of the contract.
 */
import { type Address, beginCell, type Cell } from "@ton/core";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { CHUNK_SLOTS } from "../../../src/core/crypto/groth16.ts";
import {
  depositComment,
  loadV2PoolLog,
  type LogMessage,
  storeEnqueue,
  storeSettle,
  storeWithdraw2,
  storeWithdrawMany,
  type WithdrawRequest,
} from "../../../src/core/protocol/v2/messages.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { freshElement, type Outcome, PoolSandbox } from "../pool_sandbox.ts";
import { forgeProof } from "../trapdoor_keys.ts";
import { v2TrapdoorCode } from "./trapdoor_codes.ts";
import { emptyV2PoolState, encodeV2PoolData, type V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";

/** The outcome of a message, with the logs of version 2. */
export type V2Outcome = Omit<Outcome, "logs"> & { readonly logs: readonly (LogMessage | undefined)[] };

/** The differences of a deposit from a valid one. */
interface EnqueueChange {
  readonly commitment?: bigint;
  readonly value?: bigint;
  readonly bounce?: boolean;
  readonly from?: Address;
  /** Sends a text comment instead of the op. */
  readonly comment?: boolean;
}

/** The differences of a settlement from a valid one of the largest batch. */
interface SettleChange {
  readonly end?: number;
  readonly newRoot?: bigint;
  readonly value?: bigint;
  readonly bounce?: boolean;
  readonly from?: Address;
  /** Public signals of the proof. Default: the valid ones for `prover`. */
  readonly signals?: readonly bigint[];
  /** The account that the proof names. Default: the sender. */
  readonly prover?: Address;
  readonly proof?: Cell;
}

/** The differences of a withdrawal from a valid one. */
export interface V2WithdrawChange extends Partial<WithdrawRequest> {
  readonly signals?: readonly bigint[];
}

/** The sender and value of a withdrawal. */
interface WithdrawSending {
  readonly value?: bigint;
  readonly bounce?: boolean;
  readonly from?: Address;
}

/** Returns the body of a comment. */
export function commentBody(text: string): Cell {
  return beginCell().storeUint(0, 32).storeBuffer(Buffer.from(text, "latin1")).endCell();
}

/** Divides a comment's bits at these positions. Each part is in a cell of its own, which refers to the next one. */
export function splitComment(body: Cell, cuts: readonly number[]): Cell {
  const ends = [...cuts, body.bits.length];
  return ends.reduceRight<Cell | null>((next, end, i) => {
    const start = i === 0 ? 0 : ends[i - 1];
    const part = beginCell().storeBits(body.bits.substring(start, end - start));
    return (next === null ? part : part.storeRef(next)).endCell();
  }, null)!;
}

/** Returns the outcome with the logs of version 2. */
export function withV2Logs(outcome: Outcome): V2Outcome {
  const logs = outcome.tx.outMessages.values().filter(({ info }) => info.type === "external-out");
  return { ...outcome, logs: logs.map(({ body }) => loadV2PoolLog(body)) };
}

/** A blockchain with one version 2 pool. */
export class V2Sandbox {
  /** Commitments in leaf order. */
  readonly commitments: bigint[] = [];
  /** Newest roots, oldest first, without the empty root. */
  readonly roots: bigint[] = [];
  settled = 0;
  rootCount = 0;
  spent = new SpentSet();

  protected constructor(readonly pool: PoolSandbox) {}

  /** Deploys a pool of 10 GRAM, or puts it into a state. */
  static async open(
    { state, ...options }:
      & Omit<NonNullable<Parameters<typeof PoolSandbox.open>[0]>, "data" | "code" | "generation">
      & { state?: Partial<V2PoolState>; code?: Cell } = {},
  ): Promise<V2Sandbox> {
    const pool = await PoolSandbox.open({
      ...options,
      code: options.code ?? await v2TrapdoorCode(),
      data: (owner, denomination) =>
        encodeV2PoolData(emptyV2PoolState({ owner, denomination, generation: 0 })),
    });
    const sandbox = new V2Sandbox(pool);
    if (state) await sandbox.setState(state, options.balance);
    return sandbox;
  }

  /** Puts the pool into a state and keeps its owner. The rest of the state is that of an empty pool. */
  async setState(change: Partial<V2PoolState>, balance?: bigint): Promise<void> {
    const { owner, denomination } = await this.pool.getPoolInfo().then((info) => ({
      owner: info.owner,
      denomination: this.pool.denomination,
    }));
    const state = { ...emptyV2PoolState({ owner, denomination, generation: 0 }), ...change };
    this.settled = state.settled;
    this.rootCount = state.rootCount ?? state.roots.length;
    this.spent = state.spent;
    this.roots.splice(0, Infinity, ...state.roots);
    this.commitments.splice(0);
    this.commitments.length = state.deposits;
    const listStart = state.settled - state.settled % 256;
    for (let i = listStart; i < state.deposits; i++) this.commitments[i] = state.commitment(i);
    const owed = BigInt(state.deposits - state.withdrawals) * denomination;
    await this.pool.setState({ data: encodeV2PoolData(state), balance: balance ?? owed + 2_500_000_000n });
  }

  get root(): bigint {
    return this.roots.at(-1) ?? zeros[20];
  }

  async send(
    body: Cell,
    value: bigint,
    options: Parameters<PoolSandbox["send"]>[2] = {},
  ): Promise<V2Outcome> {
    return withV2Logs(await this.pool.send(body, value, options));
  }

  async deposit({ commitment = freshElement(), comment = false, value, bounce, from }: EnqueueChange = {}) {
    const body = comment
      ? commentBody(depositComment(commitment))
      : storeEnqueue({ queryId: 0n, commitment });
    const outcome = await this.send(body, value ?? this.pool.denomination, { bounce, from });
    if (outcome.exitCode === 0) this.commitments.push(commitment);
    return { ...outcome, commitment };
  }

  /** Returns the signals of a settlement of the commitments from `settled` to `end` by this account. */
  settleSignals(end: number, newRoot: bigint, prover: Address, start = this.settled): bigint[] {
    const span = BigInt(start) * 512n + BigInt(end - start);
    const chunk = start - start % CHUNK_SLOTS;
    const fresh = Array.from({ length: CHUNK_SLOTS }, (_, slot) => {
      const leaf = chunk + slot;
      return leaf >= start && leaf < end ? this.commitments[leaf] ?? 0n : 0n;
    });
    return [this.root, newRoot, span, BigInt(`0x${prover.hash.toString("hex")}`) >> 2n, ...fresh];
  }

  /** Returns the end of the largest batch that can be settled now. */
  get batchEnd(): number {
    return Math.min(this.commitments.length, this.settled - this.settled % CHUNK_SLOTS + CHUNK_SLOTS);
  }

  settleBody({ end = this.batchEnd, newRoot = freshElement(), ...change }: SettleChange): Cell {
    const prover = change.prover ?? change.from ?? this.pool.relayer.address;
    const signals = change.signals ?? this.settleSignals(end, newRoot, prover);
    return storeSettle({ queryId: 0n, newRoot, end, proof: change.proof ?? forgeProof(signals) });
  }

  async settle(change: SettleChange = {}): Promise<V2Outcome> {
    const { end = this.batchEnd, newRoot = freshElement() } = change;
    const body = this.settleBody({ ...change, end, newRoot });
    const from = change.from ?? this.pool.relayer.address;
    const outcome = await this.send(body, change.value ?? 100_000_000n, { from, bounce: change.bounce });
    if (outcome.exitCode === 0 && outcome.actionCode === 0) {
      this.roots.push(newRoot);
      this.rootCount++;
      this.settled = end;
    }
    return outcome;
  }

  /** Settles all waiting deposits, and lets time pass where necessary. */
  async settleAll(): Promise<void> {
    while (this.settled < this.commitments.length) {
      this.pool.chain.now! += 30;
      const { exitCode } = await this.settle();
      if (exitCode !== 0) throw new Error(`a settlement ended with ${exitCode}`);
    }
  }

  /** Returns a valid withdrawal to the user through the relayer, changed after proving. */
  request({ signals, ...change }: V2WithdrawChange = {}): WithdrawRequest {
    const nullifierHash = change.nullifierHash ?? freshElement();
    const request = {
      root: this.root,
      rootNumber: this.rootCount - 1,
      fee: 50_000_000n,
      refund: 0n,
      recipient: this.pool.user.address,
      relayer: this.pool.relayer.address as Address | null,
      carried: this.spent.slotPath(nullifierHash),
      ...change,
      nullifierHash,
    };
    const { root, recipient, relayer, fee, refund } = request;
    const honest = [root, nullifierHash, addressToField(recipient), addressToField(relayer), fee, refund];
    return { ...request, proof: change.proof ?? forgeProof(signals ?? honest) };
  }

  async withdraw(change: V2WithdrawChange & WithdrawSending = {}): Promise<V2Outcome> {
    const { value, from, bounce, ...rest } = change;
    const request = this.request(rest);
    const outcome = await this.send(
      storeWithdraw2(request, 0n),
      value ?? await this.pool.withdrawValue(request.refund),
      { from: from ?? this.pool.relayer.address, bounce },
    );
    if (outcome.exitCode === 0 && outcome.actionCode === 0) this.spent.add(request.nullifierHash);
    return outcome;
  }

  /** Sends several withdrawals. Each path is that of the table after the earlier ones. */
  async withdrawMany(
    changes: readonly V2WithdrawChange[],
    { value, from, bounce }: WithdrawSending = {},
  ): Promise<V2Outcome & { readonly requests: readonly WithdrawRequest[] }> {
    const requests = this.requests(changes);
    const outcome = await this.send(
      storeWithdrawMany(requests, 0n),
      value ?? 1_000_000_000n,
      { from: from ?? this.pool.relayer.address, bounce },
    );
    if (outcome.exitCode === 0 && outcome.actionCode === 0) {
      for (const log of outcome.logs) if (log?.kind === "withdrawal") this.spent.add(log.nullifierHash);
    }
    return { ...outcome, requests };
  }

  /** Returns valid withdrawals for one message, changed after proving. */
  requests(changes: readonly V2WithdrawChange[]): WithdrawRequest[] {
    const before = this.spent;
    const ahead = before.clone();
    this.spent = ahead;
    const requests = changes.map((change) => {
      const request = this.request(change);
      ahead.add(request.nullifierHash);
      return request;
    });
    this.spent = before;
    return requests;
  }
}
