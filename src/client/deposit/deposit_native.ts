/**
 * Deposits the native coin. Store the note before calling: once the message is sent, the note is the money. If another
 * deposit takes the leaf first, the deposit is proved and sent again.
 */
import { Problem } from "../../core/errors/problem.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import { assertNoteMatchesPool } from "../notes/pool_match.ts";
import { type DepositRequest, runDepositAttempts } from "./deposit_attempts.ts";
import type { DepositResult } from "./deposit_events.ts";

export type { DepositRequest, DepositStep } from "./deposit_attempts.ts";
export type { DepositResult } from "./deposit_events.ts";

/** Seconds after a transfer's valid_until from which it can no longer appear in a block that we have not seen. */
const EXPIRY_GRACE_SECONDS = 15;

/**
 * Deposits exactly the pool's denomination of the native coin.
 *
 * @param request what to deposit and from which wallet; times are in milliseconds
 * @param options cancellation and the proof's progress
 * @returns the deposit's leaf, transaction and block time (Unix seconds)
 * @throws {Problem} `wrong_pool` if note and pool do not belong together; `contract_refused` with the exit code's name if
 *   the pool refuses the deposit (the value has then bounced back); `payment_timeout` if the transfer was never included,
 *   or other deposits took the leaf in each of `maxAttempts` attempts; `nullifier_already_used` if the note was deposited
 *   and withdrawn; `tree_incomplete` if the source of the tree stays behind the chain; `unknown_root`, `cancelled`
 * @example
 * ```ts
 * const note = createNote({ asset: "native", amount: "10", network: "testnet" });
 * // store formatNote(note), encrypted, before the next line
 * const { leafIndex } = await depositNative({ chain, pool, network: "testnet", wallet, note, prover });
 * ```
 */
export async function depositNative(
  request: DepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { pool, note, wallet } = request;
  if (note.asset !== "native") {
    throw new Problem("wrong_pool", `the note is for ${note.asset}, not for the native coin`);
  }
  const { denomination } = await assertNoteMatchesPool(pool, note, request.network);
  return await runDepositAttempts(
    {
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS,
      buildMessage: (deposit) => pool.buildDepositMessage({ ...deposit, value: denomination }),
      isOwnRefusal: ({ sender }) => sender.equals(wallet.address),
      timeoutMessage: "the wallet's transfer was not included in a block in time; nothing was deposited",
    },
    request,
    options,
  );
}
