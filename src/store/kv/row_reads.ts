/** Reads and lists rows of a KV store. */
import type { PoolId } from "../store.ts";
import { decodeValue } from "./codec.ts";

const READ_BATCH_SIZE = 500;

export interface VersionedValue<T> {
  readonly entry: { readonly key: Deno.KvKey; readonly versionstamp: string | null };
  readonly value: T | undefined;
}

export async function getVersioned<T>(kv: Deno.Kv, key: Deno.KvKey): Promise<VersionedValue<T>> {
  const { value, versionstamp } = await kv.get<Uint8Array>(key);
  return { entry: { key, versionstamp }, value: value === null ? undefined : decodeValue<T>(value) };
}

export async function* listRows<T>(
  kv: Deno.Kv,
  selector: Deno.KvListSelector,
): AsyncGenerator<[Deno.KvKey, T]> {
  for await (const { key, value } of kv.list<Uint8Array>(selector, { batchSize: READ_BATCH_SIZE })) {
    yield [key, decodeValue<T>(value)];
  }
}

export async function* listValues<T>(kv: Deno.Kv, selector: Deno.KvListSelector): AsyncGenerator<T> {
  for await (const [, value] of listRows<T>(kv, selector)) yield value;
}

/** Selects a pool's rows from number `first` on. */
export function rowsFrom(
  keyOf: (pool: PoolId, number: number) => Deno.KvKey,
  pool: PoolId,
  first: number,
): Deno.KvListSelector {
  return { start: keyOf(pool, first), end: keyOf(pool, Number.MAX_SAFE_INTEGER) };
}
