/**
 * The ledger of every store: it is written together with the rows that it describes, unchanged by restarts,
 * and exact after a rollback.
 */
import { deepEqual, rejects } from "node:assert/strict";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import type { Cursor, LedgerEntry, Store, Transfer } from "../../../src/store/store.ts";

/** Opens the same store repeatedly. */
interface Opening {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const stores: [name: string, ignore: boolean, prepare: () => Promise<Opening>][] = [
  ["kv", false, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-ledger-" });
    return { open: () => openKvStore(directory), remove: () => Deno.remove(directory, { recursive: true }) };
  }],
  ["postgres", !await postgresServer(), async () => {
    const database = await freshDatabase();
    return {
      open: () => openPostgresStore(database.url),
      remove: async () => await database[Symbol.asyncDispose](),
    };
  }],
  ["memory", false, () => {
    const open = memoryStore({ now: Date.now, shared: false });
    return Promise.resolve({ open: () => Promise.resolve(open()), remove: () => Promise.resolve() });
  }],
];
const LEAD_MS = 600_000;
const pool = `0:${"ab".repeat(32)}`;
const otherPool = `-1:${"07".repeat(32)}`;
const hash = (i: number) => i.toString(16).padStart(64, "0");
const at = (i: number): Cursor => ({ lt: BigInt(i), hash: hash(i) });
const entry = (i: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  pool,
  kind: "withdrawal",
  txHash: hash(i),
  lt: BigInt(i),
  timestamp: 1_700_000_000 + i,
  fee: 10n ** 30n + BigInt(i),
  gas: BigInt(i),
  refund: 2n,
  ...more,
});
const transfer: Transfer = {
  seqno: 1,
  validUntil: 2,
  hash: "aa",
  boc: new Uint8Array(9),
  signedAt: 1,
  jobs: [{ pool, nullifierHash: 1n, queryId: 5n }],
};
const transferEntry = entry(5, { kind: "transfer", txHash: "aa", lt: 0n, fee: 0n, refund: 0n });
const booked = [transferEntry, entry(5, { kind: "top_up", txHash: "cc", lt: 0n, fee: 0n, refund: 0n })];
const keep = () => undefined;

const apply = (store: Store, from: number | undefined, to: number, ledger: LedgerEntry[], where = pool) =>
  store.apply(
    { pool: where, events: [], from: from === undefined ? undefined : at(from), to: at(to), ledger },
    keep,
  );

async function read(store: Store, since = 0, until = Infinity): Promise<LedgerEntry[]> {
  const end = Math.min(until, Number.MAX_SAFE_INTEGER);
  const entries = await Array.fromAsync(store.ledger(since, end));
  return entries.sort((a, b) => a.pool.localeCompare(b.pool) || Number(a.lt - b.lt));
}

for (const [name, ignore, prepare] of stores) {
  const test = (claim: string, act: (store: Store, reopen: () => Promise<Store>) => Promise<void>) =>
    Deno.test({
      name: `${name} store: ${claim}`,
      ignore,
      async fn() {
        const opening = await prepare();
        const lead = async () => {
          const store = await opening.open();
          await store.acquireLease(LEAD_MS);
          return store;
        };
        let store = await lead();
        try {
          await act(store, async () => {
            await store.releaseLease();
            await store.close();
            return store = await lead();
          });
        } finally {
          await store.close();
          await opening.remove();
        }
      },
    });

  test("ledger entries survive a restart exactly, and are selected by time", async (store, reopen) => {
    const refused = entry(3, { kind: "refused", fee: 0n, gas: -(10n ** 20n) });
    await apply(store, undefined, 9, [entry(1), refused]);
    await apply(store, undefined, 4, [entry(2, { pool: otherPool })], otherPool);
    const again = await reopen();
    deepEqual(await read(again), [entry(2, { pool: otherPool }), entry(1), refused]);
    deepEqual(await read(again, 1_700_000_002, 1_700_000_003), [entry(2, { pool: otherPool })]);
    deepEqual(await read(again, 1_700_000_004), []);
  });

  test("a batch that does not continue the cursor adds no ledger entry", async (store) => {
    await apply(store, undefined, 9, [entry(1)]);
    await rejects(apply(store, 8, 10, [entry(2)]), { code: "store_conflict" });
    deepEqual(await read(store), [entry(1)]);
  });

  test("a transfer's fees and top-ups are booked once, by the call that ends it", async (store, reopen) => {
    await store.beginTransfer(transfer);
    await store.endTransfer("bb", booked);
    deepEqual(await read(store), []);
    await store.endTransfer("aa", booked);
    await store.endTransfer("aa", booked);
    deepEqual(await read(await reopen()), booked);
  });

  test("a rollback removes the entries of later transactions, and the same events book them again", async (store) => {
    await store.beginTransfer(transfer);
    await store.endTransfer("aa", [transferEntry]);
    const all = Array.from({ length: 200 }, (_, i) => entry(i + 1));
    for (let i = 0; i < 200; i += 5) await apply(store, i || undefined, i + 5, all.slice(i, i + 5));
    await apply(store, undefined, 4, [entry(150, { pool: otherPool })], otherPool);
    await store.rollBack({ pool, from: at(200), to: at(7), keptLeafCount: 0, nullifierHashes: [] }, keep);
    const kept = [entry(150, { pool: otherPool }), transferEntry, ...all.slice(0, 7)];
    deepEqual(await read(store), kept);
    await apply(store, 7, 8, [all[7]]);
    deepEqual(await read(store), [...kept, all[7]]);
    await store.rollBack({ pool, from: at(8), to: undefined, keptLeafCount: 0, nullifierHashes: [] }, keep);
    deepEqual(await read(store), kept.slice(0, 2), "transfers stay: the wallet paid for them");
  });
}
