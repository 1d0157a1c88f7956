import { equal, rejects } from "node:assert/strict";
import { encryptContent, memoryFiles, testVaults } from "../../../tests/support/vaults/test_vaults.ts";
import { createNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { changePassphrase } from "./change_passphrase.ts";
import type { AppContext } from "./context.ts";
import { openSession } from "./store_service.ts";

const passphrases = [new Secret("correct horse battery"), new Secret("another horse battery")] as const;

for (const reads of [0, 1]) {
  Deno.test(`a change of passphrase reports a store that vanished after ${reads} reads, and ends its worker`, async () => {
    const bytes = await encryptContent({ seed: createNoteSeed(), records: [] }, passphrases[0]);
    let left = reads;
    const files = { ...memoryFiles(), read: () => Promise.resolve(left-- > 0 ? bytes : undefined) };
    const vaults = testVaults();
    const context = { files, vaults } as unknown as AppContext;
    await rejects(changePassphrase(context, ...passphrases, () => {}), { code: "note_store_corrupted" });
    equal(vaults.openCount(), 0);
  });
}

Deno.test("after a change of passphrase only the new one opens the store", async () => {
  const vaults = testVaults();
  const files = memoryFiles(await encryptContent({ seed: createNoteSeed(), records: [] }, passphrases[0]));
  const context = { files, vaults } as unknown as AppContext;
  const before = await files.read();
  const seen: unknown[] = [];
  const beforeWrite = () => void files.read().then((bytes) => seen.push(bytes));
  await rejects(changePassphrase(context, passphrases[1], passphrases[1], beforeWrite));
  equal(seen.length, 0, "a wrong passphrase changes nothing");
  await changePassphrase(context, ...passphrases, beforeWrite);
  const bytes = (await files.read())!;
  equal(seen[0], before, "it runs before the store is written");
  await rejects(vaults.open(bytes, passphrases[0]), { code: "wrong_passphrase" });
  const opened = await vaults.open(bytes, passphrases[1]);
  equal((await opened.run({ kind: "list", bytes })).hasSeed, true);
});

Deno.test("the page cannot give an open store another passphrase without the current one", async () => {
  const vaults = testVaults();
  const bytes = await encryptContent({ seed: createNoteSeed(), records: [] }, passphrases[0]);
  const vault = await vaults.open(bytes, passphrases[0]);
  const guess = passphrases[1].reveal();
  await rejects(vault.run({ kind: "renew", bytes, current: guess, next: guess, isLight: true }), {
    code: "wrong_passphrase",
  });
  await rejects(vault.run({ kind: "reencrypt", bytes }), { code: "cancelled" });
});

Deno.test("an open store learns that its file has another key, and reads and writes it no more", async () => {
  const vaults = testVaults();
  const bytes = await encryptContent({ seed: createNoteSeed(), records: [] }, passphrases[0]);
  const files = memoryFiles(bytes);
  const context = { files, vaults } as unknown as AppContext;
  const { store } = await openSession(context, await vaults.open(bytes, passphrases[0]));
  let isReplaced = false;
  void store.replaced.then(() => isReplaced = true);
  await store.ensureSeed();
  await store.list();
  equal(isReplaced, false);
  await changePassphrase(context, ...passphrases, () => {});
  const changed = await files.read();
  await rejects(store.list(), { code: "cancelled" });
  await store.replaced;
  await rejects(store.update("x", {}), { code: "cancelled" });
  equal(await files.read(), changed);
});

Deno.test("a damaged file is not taken for one with another key", async () => {
  const vaults = testVaults();
  const bytes = await encryptContent({ seed: createNoteSeed(), records: [] }, passphrases[0]);
  const files = memoryFiles(bytes);
  const { store } = await openSession({ files } as AppContext, await vaults.open(bytes, passphrases[0]));
  for (const damaged of [new Uint8Array([1, 2, 3]), bytes.slice(0, -40), bytes.slice(0, 20)]) {
    await files.write(damaged);
    await rejects(store.list(), { code: "note_store_corrupted" });
  }
});
