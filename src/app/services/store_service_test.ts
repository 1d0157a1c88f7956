import { equal, rejects } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { createNoteSeed, formatNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import type { OpenVault } from "../ports.ts";
import { restoreServices } from "./backups/restore_service.ts";
import type { AppContext } from "./context.ts";
import { openSession, storeServices } from "./store_service.ts";

const passphrase = new Secret("correct horse battery staple");
const bytes = new Uint8Array([1]);

/** A context that counts the vaults that are open, and whose store fails at the given step. */
function openContext(failing: "read" | "write" | "persist") {
  const counts = { open: 0 };
  const fail = () => Promise.reject(new Problem("write_failed", failing));
  const openVault = () => {
    counts.open++;
    return Promise.resolve({
      encrypt: () => Promise.resolve(bytes),
      decrypt: fail,
      close: () => void counts.open--,
    } as unknown as OpenVault);
  };
  const context = {
    random: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
    clock: { now: () => 0 },
    vaults: { create: openVault, open: openVault },
    files: {
      read: failing === "read" ? fail : () => Promise.resolve(undefined),
      write: failing === "write" ? fail : () => Promise.resolve(),
      persist: failing === "persist" ? fail : () => Promise.resolve(true),
      lock: () => Promise.resolve({ [Symbol.dispose]() {} }),
    },
  } as unknown as AppContext;
  return { context, counts, openVault };
}

for (const failing of ["read", "write", "persist"] as const) {
  Deno.test(`a new store whose ${failing} fails closes its vault`, async () => {
    const { context, counts } = openContext(failing);
    const services = storeServices(context, {} as Parameters<typeof storeServices>[1]);
    await rejects(services.create(passphrase), { code: "write_failed" });
    equal(counts.open, 0);
  });

  Deno.test(`a seed whose store cannot be created because its ${failing} fails closes its vault`, async () => {
    const { context, counts } = openContext(failing);
    const text = formatNoteSeed(createNoteSeed(context.random));
    const { restore } = restoreServices(context, () => undefined, () => {});
    await rejects(async () => await restore({ kind: "text", text }, passphrase), { code: "write_failed" });
    equal(counts.open, 0);
  });
}

Deno.test("a session that cannot be opened closes its vault", async () => {
  const { context, counts, openVault } = openContext("read");
  await rejects(openSession(context, await openVault()), { code: "write_failed" });
  equal(counts.open, 0);
});
