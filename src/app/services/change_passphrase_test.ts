import { deepEqual, rejects } from "node:assert/strict";
import { Secret } from "../../core/text/secret.ts";
import type { OpenVault } from "../ports.ts";
import { changePassphrase } from "./change_passphrase.ts";
import type { AppContext } from "./context.ts";

const passphrases = [new Secret("correct horse battery"), new Secret("another horse battery")] as const;

/** A store whose bytes another tab deletes after `reads` reads. The context records the vaults that are open. */
function storeThatVanishes(reads: number) {
  const open = new Set<OpenVault>();
  const free = { [Symbol.dispose]() {} };
  const openVault = () => {
    const vault = { close: () => void open.delete(vault) } as OpenVault;
    open.add(vault);
    return Promise.resolve(vault);
  };
  const files = {
    read: () => Promise.resolve(reads-- > 0 ? new Uint8Array([1]) : undefined),
    lock: () => Promise.resolve(free),
    lockForWork: () => Promise.resolve(free),
  };
  return {
    open,
    context: { files, vaults: { open: openVault, create: openVault } } as unknown as AppContext,
  };
}

for (const reads of [0, 1]) {
  Deno.test(`a change of passphrase reports a store that vanished after ${reads} reads, and closes every key`, async () => {
    const { context, open } = storeThatVanishes(reads);
    await rejects(changePassphrase(context, ...passphrases), { code: "note_store_corrupted" });
    deepEqual([...open], []);
  });
}
