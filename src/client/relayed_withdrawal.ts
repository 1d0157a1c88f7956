/**
 * A withdrawal from the note to its end, through the first of several relayers that takes it. None of them is trusted: a
 * relayer's tree is used only when the chain accepts its root and the one that is rebuilt from its leaves, paid is what the
 * chain says is spent, and no word of a relayer keeps the next one from being asked.
 */
import type { Address } from "@ton/core";
import { exitCodes, Problem, type ProblemCode, type ProblemDetail } from "../core/errors.ts";
import type { MerkleTree } from "../core/merkle_tree.ts";
import { formatAmount } from "../core/units.ts";
import type { ProveOptions } from "../prover/prover.ts";
import type { Pool } from "../ton/pool.ts";
import { assertNoteFits } from "./note_pool.ts";
import { type FollowOptions, PAID, patienceLeft, SHORT_PATIENCE_MS, submit } from "./follow_withdrawal.ts";
import { RelayerClient, type WithdrawalStatus, type WithdrawArgs } from "./relayer_client.ts";
import { RelayerProblem } from "./relayer_problem.ts";
import { QUOTE_MS, type RelayerQuote } from "./relayer_quotes.ts";
import { assertRecoverable } from "./recipient.ts";
import { fromRelayer, syncWholeTree, type WholeTreeOptions } from "./tree_sync.ts";
import { assertRecipient, buildWithdrawArgs, isPayable, type WithdrawRequest } from "./withdraw.ts";

/** What a relayed withdrawal is made of: the relayer brings the tree, its address and its fee. */
export interface RelayedRequest
  extends Omit<WithdrawRequest, "source" | "tree" | "path" | "relayer" | "fee"> {
  /** The pool's key at the relayer; default: whichever it lists the pool's address by. */
  readonly poolKey?: string;
  /** The fee to offer for a relayer's floor; default: the floor. */
  readonly feeFor?: (floor: bigint) => bigint;
  /** A relayer that would cost more is passed over; default: a tenth of the denomination. */
  readonly maxFee?: bigint;
  /**
   * Milliseconds since an earlier run submitted the note: that much less has a relayer, while another one is left, that
   * says that the note is in use.
   */
  readonly sinceSubmittedMs?: number;
  /** Ask the relayer for the path instead of rebuilding the tree: it learns which deposit is withdrawn. */
  readonly fast?: boolean;
  /**
   * Called before proving, with `fast` also before the relayer is told which deposit it is; what it throws ends everything.
   */
  readonly approve?: (offer: RelayedOffer) => Promise<void>;
  /** Called when a relayer is turned to. */
  readonly onRelayer?: (relayer: RelayerClient) => void;
  /** Called when a relayer had the proof and has not finished, and another one is turned to */
  readonly onUnfinished?: (relayer: RelayerClient, reason: string) => void;
  /** Called with what is proved, before it is submitted; what it throws ends everything. */
  readonly onProved?: (relayer: RelayerClient, args: WithdrawArgs) => Promise<void>;
}

/** What one relayer would take, and what its tree says. */
export interface RelayedOffer {
  readonly relayer: RelayerClient;
  /** Who is paid the fee. */
  readonly relayerAddress: Address;
  /** In the smallest unit of the pool's asset. */
  readonly fee: bigint;
  /** Unless `fast`. */
  readonly tree?: MerkleTree;
}

/** What became of a withdrawal. */
export interface RelayedWithdrawal {
  readonly relayer: RelayerClient;
  readonly status: WithdrawalStatus;
}

/** What a callback of the request has thrown, as its cause: no relayer is to blame for it, and none can mend it. */
class CallersFault extends Error {}

/** How often a withdrawal that expired is proved again for the same relayer, the first time included. */
const EXPIRED_TRIES = 3;

/** Faults of the request itself, found here: no relayer can mend them. */
const FINAL: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "cancelled",
  "unconfirmed",
  "wrong_pool",
  "invalid_address",
  "unpayable_recipient",
  "invalid_note",
  "nullifier_already_used",
  "commitment_not_found", // in a tree that the chain's root and number of leaves bear out
  "unsatisfied",
  "fee_not_below_denomination",
]);

/**
 * Withdraws through the first relayer that takes it, and waits until the pool has paid. A withdrawal that is already under
 * way at a relayer, because an earlier run of this program was cut off, is followed instead of being made again.
 *
 * @param relayers in their order; one that is given with its quote, or is tried again, never gets more than it asked for
 *   at first
 * @returns the relayer that had the proof last: when others had one before, the pool may have paid through any of them,
 *   and a proof of an earlier call may have paid another recipient: {@linkcode notePayment} tells
 * @throws {Problem} `relayer_unavailable` with one entry in `errors` a relayer when none takes it, `fee_above_limit` when
 *   all of them ask for more than `maxFee`; what is wrong with the request itself, and what its callbacks throw, at once;
 *   `nullifier_already_used` only by the chain's word
 */
export async function withdrawThrough(
  relayers: readonly (RelayerClient | Pick<RelayerQuote, "relayer" | "fee">)[],
  request: RelayedRequest,
  options: FollowOptions & ProveOptions = {},
): Promise<RelayedWithdrawal> {
  const errors: ProblemDetail[] = [];
  const floors = new Map<RelayerClient, bigint>();
  const tried = new Map<RelayerClient, number>();
  let dear = 0;
  const queue = relayers.map((given) => {
    if (given instanceof RelayerClient) return given;
    floors.set(given.relayer, given.fee);
    return given.relayer;
  });
  const { pool, note, recipient, dead = [] } = request;
  assertRecoverable(recipient, [pool.address, ...dead]); // before anybody is asked
  let submitted: RelayerClient | undefined;
  for (let relayer = queue.shift(); relayer; relayer = queue.shift()) {
    request.onRelayer?.(relayer);
    try {
      const prompt = relayer.within(QUOTE_MS);
      const floor = await boundFloor(prompt, request, floors.get(relayer));
      floors.set(relayer, floor);
      const { network, relayerAddress } = await prompt.status();
      if (network !== request.network) throw new Problem("relayer_unavailable", `it serves ${network}`);
      const args = await proveFor({ relayer, relayerAddress, floor }, request, options);
      submitted = relayer;
      const others = queue.length > 0;
      const status = await submit(relayer, pool, args, note.nullifierHash, {
        ...options,
        patienceMs: options.patienceMs ?? (others ? SHORT_PATIENCE_MS : undefined),
        inUsePatienceMs: others ? patienceLeft(request.sinceSubmittedMs ?? 0) : undefined,
      });
      if (await pool.getIsSpent(note.nullifierHash)) {
        return { relayer, status: status.state === "confirmed" ? status : PAID };
      }
      if (status.state === "confirmed") {
        throw new Problem("relayer_unavailable", "it says that the note is paid, and the chain does not");
      }
      const times = (tried.get(relayer) ?? 0) + 1;
      tried.set(relayer, times);
      // Its root left the pool's last 30 before it was included: nobody's fault, and a newer proof may get there.
      if (status.state === "expired" && times < EXPIRED_TRIES) queue.unshift(relayer);
      errors.push({ pointer: relayer.baseUrl, detail: endedBadly(status) });
    } catch (error) {
      if (error instanceof CallersFault) throw error.cause;
      if (!(error instanceof Problem)) throw error;
      if (!(error instanceof RelayerProblem) && FINAL.has(error.code)) {
        // Only this note's owner can have proved it: a relayer that had the proof before has let go of it by now.
        if (submitted && error.code === "nullifier_already_used") return { relayer: submitted, status: PAID };
        throw error;
      }
      if (error.code === "fee_above_limit") dear++;
      errors.push({ pointer: relayer.baseUrl, detail: error.message });
    }
    const other = queue.length > 0 && queue[0] !== relayer;
    if (other && submitted === relayer) request.onUnfinished?.(relayer, errors[errors.length - 1].detail);
  }
  if (submitted && await pool.getIsSpent(note.nullifierHash)) return { relayer: submitted, status: PAID };
  if (dear > 0 && dear === errors.length) throw new Problem("fee_above_limit", undefined, { errors });
  const untold = submitted
    ? "no relayer has finished the withdrawal, and what was submitted may still be carried out"
    : "no relayer took the withdrawal";
  throw new Problem("relayer_unavailable", untold, { errors });
}

/** Reasons that a relayer may give, of which none makes a note look spent. */
function endedBadly({ state, reason }: WithdrawalStatus): string {
  const told = Object.hasOwn(exitCodes, reason ?? "") && reason !== "ERR_ALREADY_SPENT" ? `: ${reason}` : "";
  return `it says that the withdrawal has ${state}${told}`;
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

/** @throws {Problem} `relayer_unavailable` when the relayer asks for more than it did before */
async function boundFloor(
  relayer: RelayerClient,
  { poolKey, pool, note, jetton }: RelayedRequest,
  quoted: bigint | undefined,
): Promise<bigint> {
  const floor = await relayer.feeFloor(poolKey ?? pool.address);
  if (quoted !== undefined && floor > quoted) {
    const unit = jetton ?? note;
    throw new Problem(
      "relayer_unavailable",
      `it quoted a fee of ${formatAmount(quoted, unit)} and now asks for ${formatAmount(floor, unit)}`,
    );
  }
  return floor;
}

/** The share of a note that may go to a relayer when nobody said how much. */
export function defaultMaxFee(denomination: bigint): bigint {
  return denomination / 10n;
}

/** @throws {Problem} `relayer_unavailable` for what the relayer brings, other codes for what the request brings */
async function proveFor(
  { relayer, relayerAddress, floor }: Pick<RelayedOffer, "relayer" | "relayerAddress"> & { floor: bigint },
  request: RelayedRequest,
  options: ProveOptions,
): Promise<WithdrawArgs> {
  const {
    poolKey: _,
    onRelayer: __,
    onUnfinished: ____,
    sinceSubmittedMs: ___,
    feeFor = (floor) => floor,
    ...others
  } = request;
  const { maxFee, fast, approve, onProved, ...rest } = others;
  const { pool, note } = request;
  const fitting = await assertNoteFits(pool, note, request.network, request.jetton);
  assertRecipient(request, fitting);
  if (!isPayable(pool, relayerAddress, fitting)) {
    throw new Problem("relayer_unavailable", "its address is one that the pool does not pay");
  }
  const { denomination } = fitting;
  if (floor >= denomination) throw new Problem("relayer_unavailable", "it asks for all of the note");
  const fee = feeFor(floor);
  if (fee >= denomination) throw new Problem("fee_not_below_denomination");
  const most = maxFee ?? defaultMaxFee(denomination);
  if (fee > most) {
    const unit = request.jetton ?? note;
    throw new Problem(
      "fee_above_limit",
      `its fee of ${formatAmount(fee, unit)} is more than the ${formatAmount(most, unit)} that it may cost`,
    );
  }
  const { treePatienceMs } = request;
  const tree = fast
    ? undefined
    : await checkedTree(relayer, pool, { treePatienceMs, signal: options.signal });
  await ofCaller(approve?.({ relayer, relayerAddress, fee, tree }));
  const way = fast ? { path: await relayer.treePath(pool.address, note.commitment) } : { tree };
  const source = fromRelayer(relayer, pool.address);
  const args = await buildWithdrawArgs({ ...rest, ...way, source, relayer: relayerAddress, fee }, options);
  await ofCaller(onProved?.(relayer, args));
  return args;
}

/** @throws {CallersFault} */
async function ofCaller(callback: Promise<void> | undefined): Promise<void> {
  try {
    await callback;
  } catch (cause) {
    throw new CallersFault("a callback has failed", { cause });
  }
}
