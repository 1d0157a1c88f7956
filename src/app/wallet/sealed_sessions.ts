/** Stores the session of a wallet encrypted by the open vault: it has a key, and names the wallet that pays. */
import type { Records } from "../browser/indexeddb.ts";
import type { OpenVault } from "../ports.ts";
import type { SessionStore } from "../../client/tonconnect/bridge.ts";

const SESSION = "session";

/** @param vault without it, nothing can be read or written */
export function sealedSessions(
  records: Pick<Records, "get" | "put" | "delete">,
  vault?: Pick<OpenVault, "run">,
): SessionStore {
  return {
    async read() {
      const bytes = await records.get("wallets", SESSION);
      if (vault === undefined || !(bytes instanceof Uint8Array)) return undefined;
      return JSON.parse(await vault.run({ kind: "openSession", bytes }));
    },
    async write(session) {
      if (vault === undefined) return;
      await records.put(
        "wallets",
        SESSION,
        await vault.run({ kind: "sealSession", session: JSON.stringify(session) }),
      );
    },
    remove: () => records.delete("wallets", SESSION),
  };
}
