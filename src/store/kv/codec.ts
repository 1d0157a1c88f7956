/**
 * Keys and values of the embedded store. Values are JSON as bytes, the one form that every Deno reads back; bigints
 * stand in them as `{"#": "<decimal>"}`. Keys are short, because one commit takes 80 KiB of keys at most.
 */
import { bytesToBigint, toBytes } from "../../core/field.ts";
import type { PoolId } from "../store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A value as it is stored. */
export function encode(value: unknown): Uint8Array {
  return encoder.encode(
    JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? { "#": String(inner) } : inner),
  );
}

/** A stored value as it was written. */
export function decode<T>(bytes: Uint8Array): T {
  return JSON.parse(
    decoder.decode(bytes),
    (_, inner) => typeof inner?.["#"] === "string" ? BigInt(inner["#"]) : inner,
  );
}

/** A pool's address in 33 bytes. */
export function poolBytes(pool: PoolId): Uint8Array {
  const [workchain, hash] = pool.split(":");
  const bytes = new Uint8Array(33);
  bytes[0] = Number(workchain) & 0xff;
  for (let i = 0; i < 32; i++) bytes[i + 1] = parseInt(hash.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Every key of the store. */
export const keys = {
  version: ["version"],
  /** Set while rows are being restored: what stands beside it is not whole. */
  restoring: ["restoring"],
  /** Whose store it is. */
  identity: ["identity"],
  cursor: (pool: PoolId) => ["cursor", poolBytes(pool)],
  deposit: (pool: PoolId, leafIndex: number) => ["deposit", poolBytes(pool), leafIndex],
  /** A page of `leaf_pages.ts`: what the rows of its leaves say. */
  page: (pool: PoolId, page: number) => ["page", poolBytes(pool), page],
  leaf: (pool: PoolId, commitment: bigint) => ["leaf", poolBytes(pool), toBytes(commitment)],
  withdrawal: (
    pool: PoolId,
    nullifierHash: bigint,
  ) => ["withdrawal", poolBytes(pool), toBytes(nullifierHash)],
  job: (pool: PoolId, nullifierHash: bigint) => ["job", poolBytes(pool), toBytes(nullifierHash)],
  live: (pool: PoolId, nullifierHash: bigint) => ["live", poolBytes(pool), toBytes(nullifierHash)],
  allLive: ["live"],
  allCursors: ["cursor"],
  withdrawalsOf: (pool: PoolId) => ["withdrawal", poolBytes(pool)],
  allDeposits: ["deposit"],
  allWithdrawals: ["withdrawal"],
  allJobs: ["job"],
  transfer: ["transfer"],
  transferBoc: ["transfer", "boc"],
} as const;

/** The pool of a key that starts with a table and a pool. */
export function poolOfKey(key: Deno.KvKey): PoolId {
  const pool = key[1] as Uint8Array;
  const hash = Array.from(pool.subarray(1), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${(pool[0] << 24) >> 24}:${hash}`;
}

/** What a key of {@linkcode keys.live} names. */
export function liveKeyParts(key: Deno.KvKey): { pool: PoolId; nullifierHash: bigint } {
  return { pool: poolOfKey(key), nullifierHash: bytesToBigint(key[2] as Uint8Array) };
}
