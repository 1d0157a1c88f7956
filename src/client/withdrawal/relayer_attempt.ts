import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { formatAmount } from "../../core/protocol/units.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import type { RelayerClient, WithdrawArgs } from "../relayer/relayer_client.ts";
import { QUOTE_TIMEOUT_MS } from "../relayer/relayer_quotes.ts";
import { commitmentsFromRelayer, fetchVerifiedTree } from "../tree_sync.ts";
import { type CheckedWithdrawal, proveWithdrawal, type WithdrawalRequest } from "./build_withdraw_args.ts";
import { isPayable } from "./recipient_check.ts";

/** A withdrawal whose relayer supplies the tree, its own address and its fee. */
export interface RelayedWithdrawalRequest
  extends Omit<WithdrawalRequest, "source" | "tree" | "path" | "relayer" | "fee"> {
  /** The pool's key at the relayer. Default: found by the pool's address. */
  readonly poolKey?: string;
  /** Returns the fee to offer for a relayer's floor. Default: the floor. */
  readonly chooseFee?: (floor: bigint) => bigint;
  /** Relayers that would cost more are skipped. Default: a tenth of the denomination. */
  readonly maxFee?: bigint;
  /** Milliseconds since an earlier run submitted the note. Shortens the wait for a relayer that reports it as in use. */
  readonly sinceSubmittedMs?: number;
  /** Request the path from the relayer, which reveals the deposit, instead of rebuilding the tree. */
  readonly useRelayerPath?: boolean;
  /** Returns the relayer's verified tree. Default: {@linkcode fetchVerifiedTree}. */
  readonly readTree?: (relayer: RelayerClient) => Promise<MerkleTree>;
  /** Called before proving, and before a path is requested. An error ends the withdrawal. */
  readonly approve?: (offer: RelayerOffer) => Promise<void>;
  readonly onRelayer?: (relayer: RelayerClient) => void;
  readonly onFailover?: (relayer: RelayerClient, reason: string) => void;
  /** Called with the proof before it is submitted. An error ends the withdrawal. */
  readonly onProved?: (relayer: RelayerClient, args: WithdrawArgs) => Promise<void>;
}

/** A relayer's fee, in the smallest unit of the pool's asset, and its tree. */
export interface RelayerOffer {
  readonly relayer: RelayerClient;
  readonly relayerAddress: Address;
  readonly fee: bigint;
  readonly tree?: MerkleTree | undefined;
}

/** Wraps the error of a callback. No relayer caused it, so no other relayer is tried. */
export class CallbackError extends Error {}

/** Returns the limit without `maxFee`, in the asset's smallest unit. */
export function defaultMaxFee(denomination: bigint): bigint {
  return denomination / 10n;
}

/** Throws `relayer_unavailable` if the relayer raised its quoted fee or serves another network. */
export async function fetchRelayerPolicy(
  relayer: RelayerClient,
  { poolKey, pool, note, jetton, network }: RelayedWithdrawalRequest,
  quoted: bigint | undefined,
): Promise<{ floor: bigint; relayerAddress: Address }> {
  const bounded = relayer.withTimeout(QUOTE_TIMEOUT_MS);
  const floor = await bounded.feeFloor(poolKey ?? pool.address);
  if (quoted !== undefined && floor > quoted) {
    const unit = jetton ?? note;
    const [before, now] = [formatAmount(quoted, unit), formatAmount(floor, unit)];
    throw new Problem("relayer_unavailable", `it quoted a fee of ${before} and now asks for ${now}`);
  }
  const { network: served, relayerAddress } = await bounded.status();
  if (served !== network) throw new Problem("relayer_unavailable", `it serves ${served}`);
  return { floor, relayerAddress };
}

/** Throws `relayer_unavailable` or `fee_above_limit` for the relayer's part, other codes for the request. */
export async function buildArgsForRelayer(
  { relayer, relayerAddress, floor }: {
    readonly relayer: RelayerClient;
    readonly relayerAddress: Address;
    readonly floor: bigint;
  },
  request: RelayedWithdrawalRequest,
  checked: CheckedWithdrawal,
  options: ProveOptions,
): Promise<WithdrawArgs> {
  const { pool, treeTimeoutMs, clock } = request;
  const {
    readTree = (relayer) =>
      fetchVerifiedTree(relayer, pool, { treeTimeoutMs, signal: options.signal, clock }),
  } = request;
  const { note, matched } = checked;
  if (!isPayable(pool, relayerAddress, matched)) {
    throw new Problem("relayer_unavailable", "its address is one that the pool does not pay");
  }
  const fee = chooseFee(floor, matched.denomination, request);
  const tree = request.useRelayerPath ? undefined : await readTree(relayer);
  await runCallback(request.approve?.({ relayer, relayerAddress, fee, tree }));
  const path = tree ? undefined : await relayer.treePath(pool.address, note.commitment);
  const source = commitmentsFromRelayer(relayer, pool.address);
  const args = await proveWithdrawal(
    { ...request, tree, path, fee, source, relayer: relayerAddress },
    checked,
    options,
  );
  await runCallback(request.onProved?.(relayer, args));
  return args;
}

function chooseFee(
  floor: bigint,
  denomination: bigint,
  { chooseFee: choose = (floor) => floor, maxFee = defaultMaxFee(denomination), jetton, note }:
    RelayedWithdrawalRequest,
): bigint {
  if (floor >= denomination) {
    throw new Problem("relayer_unavailable", "its fee is not below the note's amount");
  }
  const fee = choose(floor);
  if (fee >= denomination) throw new Problem("fee_not_below_denomination");
  if (fee <= maxFee) return fee;
  const [offered, limit] = [formatAmount(fee, jetton ?? note), formatAmount(maxFee, jetton ?? note)];
  throw new Problem("fee_above_limit", `its fee of ${offered} is above the limit of ${limit}`);
}

async function runCallback(callback: Promise<void> | undefined): Promise<void> {
  try {
    await callback;
  } catch (cause) {
    throw new CallbackError("a callback has failed", { cause });
  }
}
