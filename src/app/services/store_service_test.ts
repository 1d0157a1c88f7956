import { equal, rejects } from "node:assert/strict";
import { memoryFiles, testVaults } from "../../../tests/support/vaults/test_vaults.ts";
import { Problem } from "../../core/errors/problem.ts";
import { createNoteSeed, formatNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { restoreServices } from "./backups/restore_service.ts";
import type { AppContext } from "./context.ts";
import { openSession, storeServices } from "./store_service.ts";

const passphrase = new Secret("correct horse battery staple");
/** A context that counts the vaults that are open, and whose store fails at the given step. */
function openContext(failing: "read" | "write" | "persist") {
  const vaults = testVaults();
  const fail = () => Promise.reject(new Problem("write_failed", failing));
  const context = {
    clock: { now: () => 0 },
    registry: { network: "testnet", pools: new Map() },
    vaults,
    files: { ...memoryFiles(), [failing]: fail },
  } as unknown as AppContext;
  return { context, vaults };
}

for (const failing of ["read", "write", "persist"] as const) {
  Deno.test(`a new store whose ${failing} fails closes its vault`, async () => {
    const { context, vaults } = openContext(failing);
    const services = storeServices(context, {} as Parameters<typeof storeServices>[1]);
    await rejects(services.create(passphrase), { code: "write_failed" });
    equal(vaults.openCount(), 0);
  });

  Deno.test(`a seed whose store cannot be created because its ${failing} fails closes its vault`, async () => {
    const { context, vaults } = openContext(failing);
    const text = formatNoteSeed(createNoteSeed());
    const { restore } = restoreServices(context, () => undefined, () => {}, () => {});
    await rejects(async () => await restore({ kind: "text", text }, passphrase), { code: "write_failed" });
    equal(vaults.openCount(), 0);
  });
}

Deno.test("a session that cannot be opened closes its vault", async () => {
  const { context, vaults } = openContext("read");
  await rejects(openSession(context, await vaults.create(passphrase)), { code: "write_failed" });
  equal(vaults.openCount(), 0);
});
