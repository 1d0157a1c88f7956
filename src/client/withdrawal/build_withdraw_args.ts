/** Builds the arguments of a withdrawal from a note. The note does not leave this module. */
import type { Address } from "@ton/core";
import { addressToField } from "../../core/protocol/messages/address_field.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import { findNoteLeaf } from "../notes/note_leaf.ts";
import { assertNoteMatchesPool, type MatchedPool, type PoolJetton } from "../notes/pool_match.ts";
import { type MerklePathWithRoot, verifyMerklePath } from "./merkle_path_check.ts";
import { assertPayableRecipient, isPayable, unpayableReason } from "./recipient_check.ts";
import type { WithdrawArgs } from "../relayer/relayer_client.ts";
import { type CommitmentSource, syncWholeTree, type TreeProgress } from "../tree_sync.ts";

/** What a withdrawal is built from. */
export interface WithdrawalRequest {
  readonly pool: AnyPool;
  readonly network: Network;
  readonly note: Note;
  readonly jetton?: PoolJetton;
  readonly source: CommitmentSource;
  readonly tree?: MerkleTree;
  /** A relayer's path instead of a tree. It is verified, but requesting it has revealed the deposit. */
  readonly path?: MerklePathWithRoot;
  /** A fresh address: earlier use of it would be linked to this withdrawal. */
  readonly recipient: Address;
  readonly blockedRecipients?: readonly Address[];
  /** `relayerAddress` of `GET /status`. null: no relayer, and the fee must be 0. */
  readonly relayer: Address | null;
  /** In the smallest unit of the pool's asset. */
  readonly fee: bigint;
  /** In nano, paid by the relayer. Default: 0. A fresh address needs some to transfer jettons. */
  readonly refund?: bigint;
  readonly prover: Prover;
  /**
   * The caller has verified that the note is unspent, from data that did not name its nullifier hash. Default: the pool is
   * asked, and its endpoint learns the hash before the withdrawal.
   */
  readonly isKnownUnspent?: boolean;
  readonly onTreeProgress?: (progress: TreeProgress) => void;
  /** Milliseconds that the source may lag behind the chain. Default: 25,000. */
  readonly treeTimeoutMs?: number;
  readonly clock?: Clock;
}

/**
 * Syncs the tree, makes the proof and returns the arguments of {@linkcode RelayerClient.withdraw}.
 * @throws {Problem} `invalid_address` or `unpayable_recipient` if a payment would fail or be lost;
 *   `wrong_pool`; `commitment_not_found`; `nullifier_already_used`; `fee_not_below_denomination`,
 *   `relayer_mismatch`, `unknown_root`, `tree_incomplete`, `cancelled`
 * @example
 * ```ts
 * const { relayerAddress } = await relayer.status();
 * const fee = await relayer.feeFloor(pool.address);
 * const source = commitmentsFromRelayer(relayer, pool.address);
 * const args = await buildWithdrawArgs({
 *   pool, network: "testnet", note, source, recipient, relayer: relayerAddress, fee, prover,
 * });
 * await relayer.withdraw(args);
 * ```
 */
export async function buildWithdrawArgs(
  request: WithdrawalRequest,
  options: ProveOptions = {},
): Promise<WithdrawArgs> {
  return await proveWithdrawal(request, await checkWithdrawal(request, options), options);
}

/** A withdrawal that the pool can pay, as far as no relayer takes part in it. */
export interface CheckedWithdrawal {
  readonly note: Note; // with the nullifier hash of its leaf
  readonly matched: MatchedPool;
}

/** Checks pool, recipient and deposit once, before any relayer is asked. The endpoint learns nothing about the note. */
export async function checkWithdrawal(
  request: Pick<
    WithdrawalRequest,
    "pool" | "network" | "note" | "jetton" | "recipient" | "blockedRecipients"
  >,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<CheckedWithdrawal> {
  const { pool, note, network, jetton } = request;
  const matched = await assertNoteMatchesPool(pool, note, network, jetton);
  assertPayableRecipient(request, matched);
  return { note: await findNoteLeaf(pool, note, { signal }), matched };
}

/** Makes the proof of a checked withdrawal, with the pool's newest tree. */
export async function proveWithdrawal(
  request: Omit<WithdrawalRequest, "note" | "network" | "jetton" | "blockedRecipients">,
  { note, matched }: CheckedWithdrawal,
  options: ProveOptions = {},
): Promise<WithdrawArgs> {
  const { pool, recipient, relayer, fee, refund = 0n, prover } = request;
  if (fee >= matched.denomination) throw new Problem("fee_not_below_denomination");
  if (relayer === null && fee > 0n) {
    throw new Problem("relayer_mismatch", "a withdrawal without a relayer must have a fee of 0");
  }
  if (relayer && !isPayable(pool, relayer, matched)) {
    throw new Problem("invalid_address", unpayableReason(relayer, matched));
  }
  if (!request.isKnownUnspent && await pool.getIsSpent(note.nullifierHash)) {
    throw new Problem("nullifier_already_used", "this note has already been withdrawn", {
      hint:
        "A note can be withdrawn only once. If you did not withdraw it, someone else has a copy of the note.",
    });
  }
  const path = request.path
    ? await verifyMerklePath(pool, note.commitment, request.path)
    : await buildPathFromTree(request, note, options);
  const prove = note.version === 2 ? prover.proveWithdraw2 : prover.proveWithdraw;
  const { proof, publicSignals } = await prove({
    nullifierHash: note.nullifierHash,
    recipient: addressToField(recipient),
    relayer: addressToField(relayer),
    fee,
    refund,
    nullifier: note.nullifier,
    secret: note.secret,
    ...path,
  }, options);
  return { pool: pool.address, proof, publicSignals, recipient, fee, refund };
}

type TreeRequest = Pick<
  WithdrawalRequest,
  "pool" | "source" | "tree" | "onTreeProgress" | "treeTimeoutMs" | "clock"
>;

async function buildPathFromTree(
  { pool, source, tree: known, onTreeProgress, treeTimeoutMs, clock }: TreeRequest,
  note: Note,
  { signal }: ProveOptions,
): Promise<MerklePathWithRoot> {
  // Only the whole tree has the newest root. A tree is older if the user took time to confirm.
  const isNewest = known && (await pool.getRootHistory())[0] === known.root;
  const tree = isNewest
    ? known
    : await syncWholeTree(pool, source, known, { onTreeProgress, treeTimeoutMs, signal, clock });
  const leafIndex = note.leafIndex ?? tree.indexOf(note.commitment);
  if (leafIndex < 0 || leafIndex >= tree.size) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool's tree");
  }
  return { root: tree.root, ...tree.path(leafIndex) };
}
