/** From a note to what a relayer, or the pool itself, needs to pay it out. The note never leaves this module. */
import type { Address } from "@ton/core";
import { addressToField } from "../core/address_field.ts";
import { Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import type { ProveOptions, Prover } from "../prover/prover.ts";
import type { Pool } from "../ton/pool.ts";
import { assertNoteFits, type FittingPool, type PoolJetton } from "./note_pool.ts";
import { checkedPath, type ForeignPath } from "./path_check.ts";
import { assertRecoverable } from "./recipient.ts";
import type { WithdrawArgs } from "./relayer_client.ts";
import { type CommitmentSource, syncWholeTree, type TreeProgress } from "./tree_sync.ts";

/** What a withdrawal is made of. */
export interface WithdrawRequest {
  readonly pool: Pool;
  /** The network that the pool is on. */
  readonly network: Network;
  readonly note: Note;
  /** Of a jetton pool: which one it must be of. */
  readonly jetton?: PoolJetton;
  /** Where the tree comes from; see {@linkcode fromRelayer} and {@linkcode fromChain}. */
  readonly source: CommitmentSource;
  /** Leaves that are here already. */
  readonly tree?: MerkleTree;
  /** A relayer's path, instead of a tree: it tells the relayer which deposit is yours. It is checked here. */
  readonly path?: ForeignPath;
  /** A fresh address; one that was used before links to this withdrawal. */
  readonly recipient: Address;
  /** Contracts that would never give it back, beside the pool's own: refused as the recipient. Name the pools that you know. */
  readonly dead?: readonly Address[];
  /** relayerAddress of `GET /status`; null when nobody relays, then the fee must be 0. */
  readonly relayer: Address | null;
  /** In the smallest unit of the pool's asset. */
  readonly fee: bigint;
  /** Nano native that the relayer adds; default 0. A fresh address needs some to move jettons on. */
  readonly refund?: bigint;
  readonly prover: Prover;
  readonly onTree?: (progress: TreeProgress) => void;
  /** Milliseconds that the source of the tree may be behind the chain; default 25,000. */
  readonly treePatienceMs?: number;
}

/**
 * Loads the tree, proves, and assembles `proof` and `publicSignals`.
 *
 * @throws {Problem} `invalid_address` for a recipient or relayer that the pool would not pay, `unpayable_recipient` for one
 *   that nothing comes back from, `wrong_pool` when the note's denomination is not the pool's, `commitment_not_found` when
 *   its deposit is not in the tree, `nullifier_already_used` when it is spent, `fee_not_below_denomination`, `unknown_root`,
 *   `tree_incomplete`, `cancelled`
 */
export async function buildWithdrawArgs(
  request: WithdrawRequest,
  options: ProveOptions = {},
): Promise<WithdrawArgs> {
  const { pool, note, recipient, relayer, fee, refund = 0n, prover } = request;
  const fitting = await assertNoteFits(pool, note, request.network, request.jetton);
  const { denomination } = fitting;
  if (fee >= denomination) throw new Problem("fee_not_below_denomination");
  if (relayer === null && fee > 0n) {
    throw new Problem("relayer_mismatch", "a fee needs a relayer to be paid to");
  }
  assertRecipient(request, fitting);
  if (relayer && !isPayable(pool, relayer, fitting)) {
    throw new Problem("invalid_address", whyUnpayable(relayer, fitting));
  }
  if (await pool.getIsSpent(note.nullifierHash)) {
    throw new Problem("nullifier_already_used", "this note has been withdrawn already", {
      todo: "A note pays once. If it was not you who withdrew it, somebody else has had the note.",
    });
  }
  const path = request.path
    ? await checkedPath(pool, note.commitment, request.path)
    : await ownPath(request, options);
  const { proof, publicSignals } = await prover.proveWithdraw({
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

/** The path in the tree that the source gives. */
async function ownPath(request: WithdrawRequest, { signal }: ProveOptions): Promise<ForeignPath> {
  const { pool, note, source, onTree, treePatienceMs } = request;
  const tree = await syncWholeTree(pool, source, request.tree, { onTree, treePatienceMs, signal });
  const leafIndex = tree.indexOf(note.commitment);
  if (leafIndex < 0) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool's tree");
  }
  return { root: tree.root, ...tree.path(leafIndex) };
}

/** @throws {Problem} `invalid_address`, `unpayable_recipient` */
export function assertRecipient(
  { pool, recipient, dead = [] }: Pick<WithdrawRequest, "pool" | "recipient" | "dead">,
  fitting: FittingPool,
): void {
  if (!isPaidIn(recipient, fitting)) throw new Problem("invalid_address", whyUnpayable(recipient, fitting));
  const { jettonMaster, jettonWallet } = fitting.info;
  const own = [pool.address, jettonMaster, jettonWallet].filter((each) => each !== null);
  assertRecoverable(recipient, [...own, ...dead]);
}

/** A pool pays in the two workchains that exist, of a jetton in the basechain only, and neither itself nor its wallet. */
export function isPayable(pool: Pool, party: Address, fitting: FittingPool): boolean {
  return isPaidIn(party, fitting) && !party.equals(pool.address) && !fitting.info.jettonWallet?.equals(party);
}

function isPaidIn({ workChain }: Address, { info: { assetKind } }: FittingPool): boolean {
  return workChain === 0 || (workChain === -1 && assetKind !== "jetton");
}

function whyUnpayable(party: Address, fitting: FittingPool): string {
  if (isPaidIn(party, fitting)) return "a pool does not pay itself";
  const where = fitting.info.assetKind === "jetton" ? "workchain 0" : "workchains 0 and -1";
  return `a pool of this kind pays in ${where} only`;
}
