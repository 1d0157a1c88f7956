/**
 * Puts a note's commitment into a native pool. The caller must have stored the note before: from the moment the message
 * is sent the note is the money. A deposit whose leaf another one took in the meantime is proved and sent again here.
 */
import { Problem } from "../core/errors.ts";
import type { ProveOptions } from "../prover/prover.ts";
import { depositBy, type DepositRequest, type DepositResult } from "./deposit_attempts.ts";
import { assertNoteFits } from "./note_pool.ts";

export type { DepositRequest, DepositResult, DepositStep } from "./deposit_attempts.ts";

/** Seconds past a transfer's valid_until after which it can no longer appear in a block that we have not seen. */
const EXPIRY_GRACE = 15;

/**
 * Deposits exactly the pool's denomination of the native coin.
 *
 * @throws {Problem} `wrong_pool`; `contract_refused` with the exit code's name when the pool refuses for any reason but a
 *   lost race (the value has bounced back then); `deposit_lost` when the transfer was never included, or after
 *   `attempts` lost races; `nullifier_already_used` for a note that was deposited and withdrawn; `tree_incomplete` when
 *   the source of the tree stays behind the chain; `unknown_root`, `cancelled`
 */
export async function depositNative(
  request: DepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { pool, note, wallet } = request;
  if (note.asset !== "native") {
    throw new Problem("wrong_pool", `the note is for ${note.asset}, not for the native coin`);
  }
  const { denomination } = await assertNoteFits(pool, note, request.network);
  return await depositBy(
    {
      grace: EXPIRY_GRACE,
      message: (deposit) => pool.depositMessage({ ...deposit, value: denomination }),
      isOurs: ({ sender }) => sender.equals(wallet.address),
      lost: "the wallet's transfer was not included in time; nothing was sent",
    },
    request,
    options,
  );
}
