import { Problem } from "../../core/errors/problem.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import { EXPIRY_GRACE_SECONDS } from "../../ton/pool/history/pool_watch.ts";
import { assertNoteMatchesPool } from "../notes/pool_match.ts";
import { type DepositRequest, runDepositAttempts } from "./deposit_attempts.ts";
import type { DepositResult } from "./deposit_events.ts";

export type { DepositRequest, DepositStep } from "./deposit_attempts.ts";
export type { DepositResult } from "./deposit_events.ts";

/**
 * Deposits exactly the pool's denomination. Store the note first: after the payment, only the note gives access to it.
 * @throws {Problem} `wrong_pool`; `tree_full`; `pool_closed` if the pool accepts no deposit; `contract_refused` if it returns the
 *   payment; `payment_timeout` if the transfer expired, or other deposits took the leaf in every attempt;
 *   `nullifier_already_used` if the note is spent; `tree_incomplete`, `unknown_root`, `cancelled`
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
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS.native,
      buildMessage: (deposit) => pool.buildDepositMessage({ ...deposit, value: denomination }),
      isOwnRefusal: ({ sender }) => sender.equals(wallet.address),
      timeoutMessage: "the wallet's transfer was not included in a block in time; nothing was deposited",
    },
    request,
    options,
  );
}
