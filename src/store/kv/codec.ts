/** Values are JSON bytes, with bigints as `{"#": "<decimal>"}`. A commit holds at most 80 KiB of keys. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { bytesToBigint, fieldToBytes } from "../../core/crypto/field.ts";
import type { PoolId } from "../store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeValue(value: unknown): Uint8Array {
  return encoder.encode(
    JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? { "#": String(inner) } : inner),
  );
}

export function decodeValue<T>(bytes: Uint8Array): T {
  return JSON.parse(
    decoder.decode(bytes),
    (_, inner) => typeof inner?.["#"] === "string" ? BigInt(inner["#"]) : inner,
  );
}

function encodePoolId(pool: PoolId): Uint8Array {
  const [workchain, hash] = pool.split(":");
  const bytes = new Uint8Array(33);
  bytes[0] = Number(workchain) & 0xff;
  bytes.set(hexToBytes(hash), 1);
  return bytes;
}

export const storeKeys = {
  version: ["version"],
  restoring: ["restoring"],
  identity: ["identity"],
  cursor: (pool: PoolId) => ["cursor", encodePoolId(pool)],
  deposit: (pool: PoolId, leafIndex: number) => ["deposit", encodePoolId(pool), leafIndex],
  page: (pool: PoolId, page: number) => ["page", encodePoolId(pool), page],
  withdrawal: (
    pool: PoolId,
    nullifierHash: bigint,
  ) => ["withdrawal", encodePoolId(pool), fieldToBytes(nullifierHash)],
  job: (pool: PoolId, nullifierHash: bigint) => ["job", encodePoolId(pool), fieldToBytes(nullifierHash)],
  live: (pool: PoolId, nullifierHash: bigint) => ["live", encodePoolId(pool), fieldToBytes(nullifierHash)],
  /** Entries of a pool in the order of their logical times; transfers have 0. */
  ledger: (pool: PoolId, lt: bigint, txHash: string) => ["ledger", encodePoolId(pool), lt, txHash],
  ledgerFrom: (pool: PoolId, lt: bigint) => ["ledger", encodePoolId(pool), lt],
  allLedger: ["ledger"],
  log: (pool: PoolId, position: number) => ["log", encodePoolId(pool), position],
  allLogs: ["log"],
  allLive: ["live"],
  allCursors: ["cursor"],
  withdrawalsOf: (pool: PoolId) => ["withdrawal", encodePoolId(pool)],
  allDeposits: ["deposit"],
  allWithdrawals: ["withdrawal"],
  allJobs: ["job"],
  transfer: ["transfer"],
  transferBoc: ["transfer", "boc"],
} as const;

export function parsePoolKey(key: Deno.KvKey): PoolId {
  const pool = key[1] as Uint8Array;
  return `${(pool[0] << 24) >> 24}:${bytesToHex(pool.subarray(1))}`;
}

export function parseLiveKey(key: Deno.KvKey): { pool: PoolId; nullifierHash: bigint } {
  return { pool: parsePoolKey(key), nullifierHash: bytesToBigint(key[2] as Uint8Array) };
}
