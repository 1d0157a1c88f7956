/** From a note to what a relayer, or the pool itself, needs to pay it out. The note never leaves this module. */
import type { Address } from "@ton/core";
import { addressToField } from "../core/address_field.ts";
import { Problem } from "../core/errors.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import type { ProveOptions, Prover } from "../prover/prover.ts";
import type { Pool } from "../ton/pool.ts";
import { assertNoteFits } from "./note_pool.ts";
import type { WithdrawArgs } from "./relayer_client.ts";
import { type CommitmentSource, syncTree, type TreeProgress } from "./tree_sync.ts";

/** What a withdrawal is made of. */
export interface WithdrawRequest {
  readonly pool: Pool;
  /** The network that the pool is on. */
  readonly network: Network;
  readonly note: Note;
  /** Where the tree comes from; see {@linkcode fromRelayer} and {@linkcode fromChain}. */
  readonly source: CommitmentSource;
  /** Leaves that are here already. */
  readonly tree?: MerkleTree;
  /** A fresh address; one that was used before links to this withdrawal. */
  readonly recipient: Address;
  /** relayerAddress of `GET /status`; null when nobody relays, then the fee must be 0. */
  readonly relayer: Address | null;
  /** Nano of the pool's asset. */
  readonly fee: bigint;
  /** Nano native that the relayer adds; default 0. */
  readonly refund?: bigint;
  readonly prover: Prover;
  readonly onTree?: (progress: TreeProgress) => void;
}

/**
 * Loads the tree, proves, and assembles `proof` and `publicSignals`.
 *
 * @throws {Problem} `invalid_address` for a recipient or relayer that the pool would not pay, `wrong_pool` when the note's denomination is not the pool's, `commitment_not_found` when its
 *   deposit is not in the tree, `nullifier_already_used` when it is spent, `fee_not_below_denomination`, `unknown_root`,
 *   `cancelled`
 */
export async function buildWithdrawArgs(
  request: WithdrawRequest,
  options: ProveOptions = {},
): Promise<WithdrawArgs> {
  const { pool, note, recipient, relayer, fee, refund = 0n, prover } = request;
  const denomination = await assertNoteFits(pool, note, request.network);
  if (fee >= denomination) throw new Problem("fee_not_below_denomination");
  if (relayer === null && fee > 0n) {
    throw new Problem("relayer_mismatch", "a fee needs a relayer to be paid to");
  }
  for (const party of [recipient, relayer]) if (party) assertPayable(pool, party);
  if (await pool.getIsSpent(note.nullifierHash)) {
    throw new Problem("nullifier_already_used", "this note has been withdrawn already");
  }
  const tree = await syncTree(pool, request.source, request.tree, request.onTree);
  const leafIndex = tree.indexOf(note.commitment);
  if (leafIndex < 0) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool's tree");
  }
  const { proof, publicSignals } = await prover.proveWithdraw({
    root: tree.root,
    nullifierHash: note.nullifierHash,
    recipient: addressToField(recipient),
    relayer: addressToField(relayer),
    fee,
    refund,
    nullifier: note.nullifier,
    secret: note.secret,
    ...tree.path(leafIndex),
  }, options);
  return { pool: pool.address, proof, publicSignals, recipient, fee, refund };
}

/** A pool pays in the two workchains that exist, and not itself. */
function assertPayable(pool: Pool, party: Address): void {
  if (party.workChain !== 0 && party.workChain !== -1) {
    throw new Problem("invalid_address", "a pool pays in workchains 0 and -1 only");
  }
  if (party.equals(pool.address)) throw new Problem("invalid_address", "a pool does not pay itself");
}
