/** The rows of a relayer's store that has indexed one pool: as many deposits as wanted, and nothing else. */
import type { ArchiveRow } from "../../src/store/archive.ts";
import type { Cursor, Deposit, PoolId } from "../../src/store/store.ts";

/** When leaf `leafIndex` was deposited, unix seconds. */
export const storedTime = (leafIndex: number) => 1_700_000_000 + leafIndex;

/** Deposits of `commitments`, with the cursor after the last. @param wallet raw address of the store's relayer */
export async function* storedDeposits(
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
      timestamp: storedTime(leafIndex),
      txHash: (++leafIndex).toString(16).padStart(64, "0"),
    };
    yield { kind: "deposit", pool, deposit };
  }
}
