/** Helpers for tests of the PostgreSQL store. Each test has its own database on a real server. */
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import type { DepositEvent } from "../../../src/ton/pool/history/pool_events.ts";
import type { Cursor, Job, Store } from "../../../src/store/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";

const ignore = !await postgresServer();
export const LEAD_MS = 600_000;
export const pool = new Address(0, Buffer.alloc(32, 0xab)).toRawString();
export const at = (i: number): Cursor => ({ lt: BigInt(i), hash: i.toString(16).padStart(64, "0") });
export const deposit = (i: number): DepositEvent => ({
  kind: "deposit",
  tx: at(i),
  timestamp: 1_700_000_000 + i,
  sender: Address.parse(pool),
  queryId: 0n,
  messageHash: "",
  leafIndex: i,
  commitment: 1000n + BigInt(i),
});
export const job: Job = {
  pool,
  nullifierHash: 77n,
  state: "accepted",
  queryId: 1n,
  root: 7n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: 1,
};
export const apply = (store: Store, i: number) =>
  store.apply(
    { pool, events: [deposit(i)], from: i === 0 ? undefined : at(i - 1), to: at(i) },
    () => undefined,
  );
export const transfer = {
  seqno: 1,
  validUntil: 2,
  hash: "aa",
  boc: new Uint8Array([1]),
  jobs: [{ pool, nullifierHash: 77n, queryId: 1n }],
  signedAt: 1,
};

export function test(claim: string, act: (url: string) => Promise<void>): void {
  Deno.test({
    name: `postgres: ${claim}`,
    ignore,
    async fn() {
      await using database = await freshDatabase();
      await act(database.url);
    },
  });
}

/** Opens stores and closes them at the end. */
export async function withStores(
  url: string,
  count: number,
  act: (...stores: Store[]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(Array.from({ length: count }, () => openPostgresStore(url)));
  try {
    await act(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

export const journalWrites: [string, (store: Store) => Promise<unknown>][] = [
  ["apply", (store) => apply(store, 0)],
  ["changeJob", (store) => store.changeJob(job, (found) => ({ ...found, failures: 9 }))],
  ["beginTransfer", (store) => store.beginTransfer(transfer)],
  ["rollBack", (store) => {
    const from = { lt: 0n, hash: "0".repeat(64) };
    return store.rollBack(
      { pool, from, to: undefined, keptLeafCount: 0, nullifierHashes: [] },
      () => undefined,
    );
  }],
  ["endTransfer", (store) => store.endTransfer("aa")],
  ["forgetJobs", (store) => store.deleteEndedJobs(10)],
];
