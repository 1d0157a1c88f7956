/**
 * A withdrawal from the note to its end, through the first of several relayers that takes it. None of them is trusted: a
 * relayer's tree is used only when the chain accepts its root and the one that is rebuilt from its leaves, and paid is what
 * the chain says is spent.
 */
import type { Address } from "@ton/core";
import { Problem, type ProblemCode, type ProblemDetail } from "../core/errors.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import type { ProveOptions } from "../prover/prover.ts";
import type { Pool } from "../ton/pool.ts";
import { assertNoteFits } from "./note_pool.ts";
import { RelayerClient, type WithdrawalStatus, type WithdrawArgs } from "./relayer_client.ts";
import type { RelayerQuote } from "./relayer_quotes.ts";
import { fromRelayer, syncWholeTree, type WholeTreeOptions } from "./tree_sync.ts";
import { buildWithdrawArgs, type WithdrawRequest } from "./withdraw.ts";

/** What a relayed withdrawal is made of: the relayer brings the tree, its address and its fee. */
export interface RelayedRequest
  extends Omit<WithdrawRequest, "source" | "tree" | "path" | "relayer" | "fee"> {
  /** The pool's key at the relayer; default: whichever it lists the pool's address by. */
  readonly poolKey?: string;
  /** The fee to offer for a relayer's floor; default: the floor. */
  readonly feeFor?: (floor: bigint) => bigint;
  /** A relayer that would cost more is passed over; default: a tenth of the denomination. */
  readonly maxFee?: bigint;
  /** Ask the relayer for the path instead of rebuilding the tree: it learns which deposit is withdrawn. */
  readonly fast?: boolean;
  /** Called before proving; what it throws as `unconfirmed` ends everything. `tree` unless `fast`. */
  readonly approve?: (offer: { relayer: RelayerClient; fee: bigint; tree?: MerkleTree }) => Promise<void>;
  /** Called with what is proved, before it is submitted. */
  readonly onProved?: (relayer: RelayerClient, args: WithdrawArgs) => Promise<void>;
}

/** How the end is waited for. */
export interface FollowOptions {
  /** Milliseconds between looks; default 2,000. */
  readonly pollMs?: number;
  /** Milliseconds after which a relayer that has not finished is given up; default ten minutes. */
  readonly patienceMs?: number;
  readonly onStatus?: (status: WithdrawalStatus) => void;
  readonly signal?: AbortSignal;
  /** Default: the platform's time. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** What became of a withdrawal. */
export interface RelayedWithdrawal {
  readonly relayer: RelayerClient;
  readonly status: WithdrawalStatus;
}

/** How often a withdrawal that expired is proved again for the same relayer, the first time included. */
const EXPIRED_TRIES = 3;

/** Faults of the request itself: no relayer can mend them. */
const FINAL: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "cancelled",
  "unconfirmed",
  "wrong_pool",
  "invalid_address",
  "invalid_note",
  "nullifier_already_used",
  "unsatisfied",
  "fee_not_below_denomination",
]);

/**
 * Withdraws through the first relayer that takes it, and waits until the pool has paid. A withdrawal that is already under
 * way at a relayer, because an earlier run of this program was cut off, is followed instead of being made again.
 *
 * @param relayers in their order; one that is given with its quote, or is tried again, never gets more than it asked for
 *   at first
 * @throws {Problem} `relayer_unavailable` with one entry in `errors` a relayer when none takes it; what is wrong with the
 *   request itself, at once
 */
export async function withdrawThrough(
  relayers: readonly (RelayerClient | Pick<RelayerQuote, "relayer" | "fee">)[],
  request: RelayedRequest,
  options: FollowOptions & ProveOptions = {},
): Promise<RelayedWithdrawal> {
  const errors: ProblemDetail[] = [];
  const floors = new Map<RelayerClient, bigint>();
  const tried = new Map<RelayerClient, number>();
  const queue = relayers.map((given) => {
    if (given instanceof RelayerClient) return given;
    floors.set(given.relayer, given.fee);
    return given.relayer;
  });
  for (let relayer = queue.shift(); relayer; relayer = queue.shift()) {
    try {
      const floor = await boundFloor(relayer, request, floors.get(relayer));
      floors.set(relayer, floor);
      await submit(relayer, floor, request, options);
      const { pool, note } = request;
      const status = await untilEnded(relayer, pool.address, note.nullifierHash, options);
      if (status.state === "confirmed") {
        if (await pool.getIsSpent(note.nullifierHash)) return { relayer, status };
        throw new Problem("relayer_unavailable", "it says that the note is paid, and the chain does not");
      }
      const times = (tried.get(relayer) ?? 0) + 1;
      tried.set(relayer, times);
      // Its root left the pool's last 30 before it was included: nobody's fault, and a newer proof may get there.
      if (status.state === "expired" && times < EXPIRED_TRIES) queue.unshift(relayer);
      errors.push({
        pointer: relayer.baseUrl,
        detail: `${status.state}: ${status.reason ?? "no reason given"}`,
      });
    } catch (error) {
      if (!(error instanceof Problem) || FINAL.has(error.code)) throw error;
      errors.push({ pointer: relayer.baseUrl, detail: error.message });
    }
  }
  throw new Problem("relayer_unavailable", "no relayer took the withdrawal", { errors });
}

/**
 * The tree as a relayer gives it, with every deposit that the pool has now.
 *
 * @throws {Problem} `relayer_unavailable` when the chain does not know what it says; `tree_incomplete` when it leaves out
 *   the newest deposits; `cancelled`
 */
export async function checkedTree(
  relayer: RelayerClient,
  pool: Pool,
  options: WholeTreeOptions = {},
): Promise<MerkleTree> {
  const [said, roots] = [await relayer.treeRoot(pool.address), await pool.getRootHistory()];
  if (!roots.includes(said)) {
    throw new Problem("relayer_unavailable", "its root is not among the pool's last 30");
  }
  try {
    return await syncWholeTree(pool, fromRelayer(relayer, pool.address), undefined, options);
  } catch (error) {
    if (!(error instanceof Problem && error.code === "unknown_root")) throw error;
    throw new Problem("relayer_unavailable", "its leaves do not make a root that the pool knows", {
      cause: error,
    });
  }
}

/**
 * Waits until a withdrawal is confirmed, failed or expired.
 *
 * @throws {Problem} `cancelled`, `relayer_unavailable` when it takes too long, and what the relayer says
 */
export async function untilEnded(
  relayer: RelayerClient,
  pool: Address,
  nullifierHash: bigint,
  options: FollowOptions = {},
): Promise<WithdrawalStatus> {
  const { pollMs = 2_000, patienceMs = 600_000, onStatus, signal } = options;
  const wait = options.wait ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));
  for (let waited = 0; waited <= patienceMs; waited += pollMs) {
    if (signal?.aborted) throw new Problem("cancelled", undefined, { cause: signal.reason });
    const status = await relayer.withdrawStatus(pool, nullifierHash);
    onStatus?.(status);
    if (status.state !== "accepted" && status.state !== "broadcast") return status;
    await wait(pollMs);
  }
  throw new Problem("relayer_unavailable", "it has not finished in time");
}

/** @throws {Problem} `relayer_unavailable` when the relayer asks for more than it did before */
async function boundFloor(
  relayer: RelayerClient,
  { poolKey, pool }: RelayedRequest,
  quoted: bigint | undefined,
): Promise<bigint> {
  const floor = await relayer.feeFloor(poolKey ?? pool.address);
  if (quoted !== undefined && floor > quoted) {
    throw new Problem("relayer_unavailable", `it quoted a fee of ${quoted} and now asks for ${floor}`);
  }
  return floor;
}

/** The share of a note that may go to a relayer when nobody said how much. */
export function defaultMaxFee(denomination: bigint): bigint {
  return denomination / 10n;
}

async function submit(
  relayer: RelayerClient,
  floor: bigint,
  request: RelayedRequest,
  options: ProveOptions,
): Promise<void> {
  const { poolKey: _, feeFor = (floor) => floor, maxFee, fast, approve, onProved, ...rest } = request;
  const { pool, note } = request;
  const { network, relayerAddress } = await relayer.status();
  if (network !== request.network) throw new Problem("relayer_unavailable", `it serves ${network}`);
  const fee = feeFor(floor);
  const { denomination } = await assertNoteFits(pool, note, request.network, request.jetton);
  const most = maxFee ?? defaultMaxFee(denomination);
  if (fee > most) {
    throw new Problem("relayer_unavailable", `its fee of ${fee} is more than the ${most} that it may cost`);
  }
  const way = fast ? { path: await relayer.treePath(pool.address, note.commitment) } : {
    tree: await checkedTree(relayer, pool, {
      treePatienceMs: request.treePatienceMs,
      signal: options.signal,
    }),
  };
  await approve?.({ relayer, fee, tree: way.tree });
  const source = fromRelayer(relayer, pool.address);
  const args = await buildWithdrawArgs({ ...rest, ...way, source, relayer: relayerAddress, fee }, options);
  await onProved?.(relayer, args);
  try {
    await relayer.withdraw(args);
  } catch (error) {
    // It is under way there: an earlier run of ours, for nobody else has this note.
    if (!(error instanceof Problem && error.code === "nullifier_already_used")) throw error;
  }
}
