import type { Vaults } from "../ports.ts";
import type { VaultTask, VaultThread } from "./vault_task.ts";

/** @param startThread starts a thread, which serves one store until it is closed */
export function vaultsOver(startThread: () => VaultThread): Vaults {
  const startWith = async (task: VaultTask & { readonly kind: "create" | "open" | "renew" }) => {
    const thread = startThread();
    try {
      await thread.run(task);
    } catch (error) {
      thread.close();
      throw error;
    }
    return thread;
  };
  return {
    create: (passphrase, { isLight } = { isLight: false }) =>
      startWith({ kind: "create", passphrase: passphrase.reveal(), isLight }),
    renew: (bytes, { current, next, isLight }) =>
      startWith({ kind: "renew", bytes, current: current.reveal(), next: next.reveal(), isLight }),
    open: (bytes, passphrase) => startWith({ kind: "open", bytes, passphrase: passphrase.reveal() }),
  };
}
