/** The rows of a relayer's store that has indexed one pool with any number of deposits. */
import type { ArchiveRow } from "../../src/store/archive.ts";
import type { Cursor, Deposit, PoolId } from "../../src/store/store.ts";

/** Returns when leaf `leafIndex` was deposited, in Unix seconds. */
export const depositTime = (leafIndex: number) => 1_700_000_000 + leafIndex;

/**
 * Generates the deposits of `commitments` and the cursor after them. @param wallet raw address of the store's relayer
 */
export async function* generateDepositRows(
  { pool, wallet, commitments, cursor }: {
    readonly pool: PoolId;
    readonly wallet: string;
    readonly commitments: Iterable<bigint>;
    readonly cursor: Cursor;
  },
): AsyncGenerator<ArchiveRow> {
  yield { kind: "identity", identity: { network: "localnet", wallet } };
  yield { kind: "cursor", pool, cursor };
  let leafIndex = 0;
  for (const commitment of commitments) {
    const deposit: Deposit = {
      leafIndex,
      commitment,
      timestamp: depositTime(leafIndex),
      txHash: (++leafIndex).toString(16).padStart(64, "0"),
    };
    yield { kind: "deposit", pool, deposit };
  }
}
