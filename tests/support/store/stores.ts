/**
 * Helpers for tests of every store: the stores, and rows to write. PostgreSQL is a real server, reached both
 * directly and through a transaction pooler. For a new adapter, add a row to `stores`.
 */
import { ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import type {
  DepositEvent,
  PoolEvent,
  RefusedEvent,
  WithdrawalEvent,
} from "../../../src/ton/pool/history/pool_events.ts";
import { pgbouncerServer, throughPgbouncer } from "../../../testkit/servers/pgbouncer.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import type { Cursor, Job, JobEvent, Store, Transfer } from "../../../src/store/store.ts";

/** Opens the same store repeatedly: each opening finds what an earlier one wrote. */
interface Opening {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const postgres = (reach: (url: string) => Promise<string>) => async (): Promise<Opening> => {
  const database = await freshDatabase();
  const url = await reach(database.url);
  return { open: () => openPostgresStore(url), remove: async () => await database[Symbol.asyncDispose]() };
};

const stores: [name: string, ignore: boolean, prepare: () => Promise<Opening>][] = [
  ["kv", false, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-store-" });
    return { open: () => openKvStore(directory), remove: () => Deno.remove(directory, { recursive: true }) };
  }],
  ["postgres", !await postgresServer(), postgres((url) => Promise.resolve(url))],
  ["postgres behind PgBouncer", !await pgbouncerServer(), postgres(throughPgbouncer)],
];
/** A time that is longer than any test. */
const LEAD_MS = 600_000;

export const pool = new Address(0, Buffer.alloc(32, 0xab)).toRawString();
export const otherPool = new Address(-1, Buffer.alloc(32)).toRawString();
export const sender = new Address(0, Buffer.alloc(32, 1));
export const at = (i: number): Cursor => ({ lt: BigInt(i), hash: i.toString(16).padStart(64, "0") });
const base = (i: number) => ({
  tx: at(i),
  timestamp: 1_700_000_000 + i,
  sender,
  queryId: BigInt(i),
  messageHash: "",
});
export const deposit = (i: number): DepositEvent => ({
  kind: "deposit",
  ...base(i),
  leafIndex: i,
  commitment: 1000n + BigInt(i),
});
export const leaf = (i: number) => ({
  leafIndex: i,
  commitment: 1000n + BigInt(i),
  timestamp: 1_700_000_000 + i,
});
export const withdrawal = (i: number, nullifierHash: bigint): WithdrawalEvent => ({
  kind: "withdrawal",
  ...base(i),
  nullifierHash,
  fee: 5n,
  refund: 0n,
  recipient: sender,
  relayer: null,
});
export const refusal = (i: number, nullifierHash?: bigint): RefusedEvent => ({
  kind: "refused",
  ...base(i),
  op: "withdraw",
  exitCode: 201,
  ...(nullifierHash === undefined ? {} : { nullifierHash }),
});
export const job = (nullifierHash: bigint, more: Partial<Job> = {}): Job => ({
  pool,
  nullifierHash,
  state: "accepted",
  queryId: 2n ** 64n - 1n,
  root: 7n,
  fee: 50_000_000n,
  refund: 0n,
  message: { recipient: pool, proof: "te6cc" },
  failures: 0,
  acceptedAt: 1,
  ...more,
});
export const transfer = (hash: string): Transfer => ({
  seqno: 3,
  validUntil: 1_700_000_060,
  hash,
  boc: new Uint8Array(60_000).fill(9),
  jobs: [{ pool, nullifierHash: 1n, queryId: 5n }],
  signedAt: 1_700_000_000,
});
export const keep = () => undefined;
export const confirm = (found: Job, event: JobEvent): Job | undefined =>
  event.kind === "withdrawal" ? { ...found, state: "confirmed", txHash: event.tx.hash } : undefined;

/** Registers a test of every store. `reopen` closes the store and opens it again with its content. */
export function testStores(
  claim: string,
  act: (store: Store, reopen: () => Promise<Store>) => Promise<void>,
): void {
  for (const [name, ignore, prepare] of stores) {
    Deno.test({ name: `${name} store: ${claim}`, ignore, fn: () => withStore(prepare, act) });
  }
}

async function withStore(
  prepare: () => Promise<Opening>,
  act: (store: Store, reopen: () => Promise<Store>) => Promise<void>,
): Promise<void> {
  const opening = await prepare();
  const lead = async () => {
    const store = await opening.open();
    ok(await store.acquireLease(LEAD_MS));
    return store;
  };
  let store: Store | undefined = await lead();
  try {
    await act(store, async () => {
      await store?.releaseLease();
      await store?.close();
      store = undefined; // a failed opening is reported, not a second close
      return store = await lead();
    });
  } finally {
    await store?.close();
    await opening.remove();
  }
}

export const apply = (
  store: Store,
  events: PoolEvent[],
  from: number | undefined,
  to: number,
  change = keep as typeof confirm,
) => store.apply({ pool, events, from: from === undefined ? undefined : at(from), to: at(to) }, change);
