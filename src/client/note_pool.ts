/**
 * Whether a note and a pool belong together. A proof names no pool: it fits every pool whose history holds the same
 * root, so the client must refuse a pool that is not the note's own.
 */
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import { formatUnits, parseUnits } from "../core/units.ts";
import type { Pool } from "../ton/pool.ts";

/**
 * Asks the pool what it is.
 *
 * @returns the pool's denomination in nano
 * @throws {Problem} `wrong_pool` when asset, amount or network is not the note's
 */
export async function assertNoteFits(pool: Pool, note: Note, network: Network): Promise<bigint> {
  if (note.network !== network) {
    throw new Problem("wrong_pool", `the note is for ${note.network}, the pool is on ${network}`);
  }
  const [{ assetKind }, denomination] = await Promise.all([pool.getPoolInfo(), pool.getDenomination()]);
  if ((assetKind === "native") !== (note.asset === "native")) {
    throw new Problem("wrong_pool", `the note is for ${note.asset}, the pool holds ${assetKind}`);
  }
  if (assetKind === "native" && parseUnits(note.amount) !== denomination) {
    throw new Problem(
      "wrong_pool",
      `the note is for ${note.amount}, the pool takes ${formatUnits(denomination)}`,
    );
  }
  return denomination;
}
