/** The leaves of pools, kept between visits. They are public, and each use verifies them against the chain. */
import type { LeafCache } from "../ports.ts";
import type { Records } from "./indexeddb.ts";

export function browserLeafCache(records: Records): LeafCache {
  return {
    async read(pool) {
      const found = await records.get("leaves", pool).catch(() => undefined);
      return found instanceof Uint8Array && found.length % 32 === 0 ? found : undefined;
    },
    async write(pool, leaves) {
      await records.put("leaves", pool, leaves).catch(() => {}); // the cache is only faster
    },
  };
}
