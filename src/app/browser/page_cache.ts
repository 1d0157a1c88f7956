/** Caches whole pages of leaves and spent notes between visits. The pages are public. */
import type { PageCache } from "../ports.ts";
import type { Records } from "./indexeddb.ts";

export function browserPageCache(records: Records): PageCache {
  return {
    async read(key) {
      const found = await records.get("leaves", key).catch(() => undefined);
      return found instanceof Uint8Array && found.length % 32 === 0 ? found : undefined;
    },
    async write(key, bytes) {
      await records.put("leaves", key, bytes).catch(() => {}); // the cache only saves downloads
    },
  };
}
