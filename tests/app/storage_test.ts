/**
 * The note store of a browser: written data survives, faults lose nothing, and the command line can read it.
 */
import assert from "node:assert/strict";
import { adaptersReady, openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { serveApp } from "../support/app/serve_app.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { chromium } from "../support/system/chromium.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { createNote, formatNote } from "../../src/core/protocol/note.ts";

const PASSPHRASE = "correct horse battery staple";
const ignore = chromium === undefined;

Deno.test({
  name: "a write survives a reload, and the record is swapped whole",
  ignore,
  fn: () =>
    onPage(async ({ page, run }) => {
      await run(({ files }) => files.write(new Uint8Array([1, 2, 3])), undefined);
      await run(({ files }) => files.write(new Uint8Array([4])), undefined);
      await page.reload({ waitUntil: "load" });
      await adaptersReady(page);
      assert.deepEqual(await run(async ({ files }) => [...(await files.read())!], undefined), [4]);
      await run(({ files }) => files.remove(), undefined);
      assert.equal(await run(async ({ files }) => await files.read() === undefined, undefined), true);
    }),
});

Deno.test({
  name: "a full storage refuses the write with write_failed, and keeps what was stored",
  ignore,
  fn: () =>
    onPage(async ({ page, run }, origin) => {
      const session = await page.createCDPSession();
      await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
      await run(({ files }) => files.write(new Uint8Array(1000).fill(7)), undefined);
      const write = run(({ files }) => {
        const large = new Uint8Array(5_000_000); // random, because the browser compresses what it stores
        for (let i = 0; i < large.length; i += 50_000) crypto.getRandomValues(large.subarray(i, i + 50_000));
        return files.write(large);
      }, undefined);
      await assert.rejects(write, /write_failed: .*full/);
      assert.equal(await run(async ({ files }) => (await files.read())!.length, undefined), 1000);
    }),
});

Deno.test({
  name: "storage that was deleted between visits reads as no store",
  ignore,
  fn: () =>
    onPage(async ({ page, run }, origin) => {
      await run(({ files }) => files.write(new Uint8Array([1])), undefined);
      const session = await page.createCDPSession();
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
      await page.reload({ waitUntil: "load" });
      await adaptersReady(page);
      assert.equal(await run(async ({ files }) => await files.read() === undefined, undefined), true);
      await run(({ files }) => files.write(new Uint8Array([2])), undefined);
      assert.deepEqual(await run(async ({ files }) => [...(await files.read())!], undefined), [2]);
    }),
});

Deno.test({
  name: "a browser that denies storage is a fault of the place, and no write is reported as done",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      assert.equal(await run(({ place }) => place.findFault(), undefined), "storage_denied");
      await assert.rejects(run(({ files }) => files.write(new Uint8Array([1])), undefined), /write_failed/);
      await assert.rejects(run(({ files }) => files.read(), undefined), /store_unavailable/);
    }, (page) =>
      page.evaluateOnNewDocument(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException("denied", "SecurityError");
        };
      })),
});

Deno.test({
  name: "settings that the browser refuses to store hold until the page closes",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      const settings = await run(({ preferences }) => {
        preferences.write({ theme: "dark" });
        return preferences.read();
      }, undefined);
      assert.deepEqual(settings, { theme: "dark" });
      await run(({ files }) => files.remove(), undefined);
      assert.equal(await run(({ preferences }) => preferences.read() === undefined, undefined), true);
    }, (page) =>
      page.evaluateOnNewDocument(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException("full", "QuotaExceededError");
        };
      })),
});

Deno.test({
  name: "only one of two tabs moves money, and a closed tab releases the lock",
  ignore,
  fn: async () => {
    await useAdapters();
    const served = await serveApp();
    try {
      await withBrowser(async (browser) => {
        const [first, second] = [
          await openAdapterPage(browser, served.url),
          await openAdapterPage(browser, served.url),
        ];
        await first.run(async ({ files }) => {
          await files.lockForWork();
        }, undefined);
        const attempt = () =>
          second.run(async ({ files }) => (await files.lockForWork())[Symbol.dispose](), undefined);
        await assert.rejects(attempt, /note_store_in_use/);
        const heard = second.run(
          ({ tabs }) => new Promise<string>((resolve) => tabs.subscribe(resolve)),
          undefined,
        );
        await new Promise((resolve) => setTimeout(resolve, 100));
        await first.run(({ tabs }) => tabs.notify("store_changed"), undefined);
        assert.equal(await heard, "store_changed");
        await first.page.close();
        await waitUntil("the closed tab released the lock", () => attempt().then(() => true, () => false));
        // Changes in two tabs wait for each other.
        const third = await openAdapterPage(browser, served.url);
        await Promise.all([second, third].map(({ run }, tab) =>
          run(async ({ files }, byte) => {
            for (let i = 0; i < 20; i++) {
              const lock = await files.lock();
              const before = await files.read() ?? new Uint8Array();
              await files.write(new Uint8Array([...before, byte]));
              lock[Symbol.dispose]();
            }
          }, tab)
        ));
        const bytes = await second.run(async ({ files }) => [...(await files.read())!], undefined);
        assert.equal(bytes.length, 40);
      });
    } finally {
      await served.close();
    }
  },
});

Deno.test({
  name: "a store made in the browser opens with the command line, and back",
  ignore,
  fn: () =>
    onPage(async ({ run }) => {
      const [mine, theirs] = [0, 1].map(() =>
        formatNote(createNote({ asset: "native", amount: "1", network: "localnet" }))
      );
      const text = await run(async ({ vaults, Secret, files, openNoteBook }, [note, passphrase]) => {
        const vault = await vaults.create(new Secret(passphrase));
        const source = { kind: "text", text: note } as const;
        const options = { passphrase, pools: [], createdAt: 1 };
        const { bytes } = await vault.run({ kind: "restore", bytes: undefined, source, ...options });
        await files.write(bytes);
        const store = await openNoteBook(files, vault);
        return new TextDecoder().decode(await store.exportBackup());
      }, [mine, PASSPHRASE] as const);
      await withTempDirectory(async (folder) => {
        const path = `${folder}/notes.age`;
        await Deno.writeTextFile(path, text, { mode: 0o600 });
        const env = { TONADO_NOTES: path, TONADO_PASSPHRASE: PASSPHRASE };
        const listed = await runCli(["note", "show", "--json"], env);
        assert.equal(listed.code, 0, listed.stderr);
        const imported = `${folder}/note.txt`;
        await Deno.writeTextFile(imported, theirs);
        const added = await runCli(["note", "restore", imported, "--json"], env);
        assert.equal(added.code, 0, added.stderr);
        const back = await Deno.readTextFile(path);
        const found = await run(async ({ vaults, Secret, files, openNoteBook }, [text, passphrase]) => {
          const bytes = new TextEncoder().encode(text);
          const vault = await vaults.open(bytes, new Secret(passphrase));
          await files.write(bytes);
          const records = await (await openNoteBook(files, vault)).list();
          return await Promise.all(records.map(({ id }) => vault.run({ kind: "reveal", bytes, id })));
        }, [back, PASSPHRASE] as const);
        assert.deepEqual(found.sort(), [mine, theirs].sort());
        const wrong = run(
          ({ vaults, Secret }, text) =>
            vaults.open(new TextEncoder().encode(text), new Secret("not it")).then(() => 0),
          back,
        );
        await assert.rejects(wrong, /wrong_passphrase/);
        const cut = run(
          ({ vaults, Secret }, text) =>
            vaults.open(new TextEncoder().encode(text.slice(0, -9)), new Secret("x")).then(() => 0),
          back,
        );
        await assert.rejects(cut, /note_store_corrupted/);
      });
    }),
});

type Adapter = Awaited<ReturnType<typeof openAdapterPage>>;

/** Runs `use` on a page, and asserts that nothing violated the policy. */
async function onPage(
  use: (page: Adapter, origin: string) => Promise<void>,
  prepare?: Parameters<typeof openAdapterPage>[2],
): Promise<void> {
  await useAdapters();
  const served = await serveApp();
  try {
    await withBrowser(async (browser) => {
      const opened = await openAdapterPage(browser, served.url, prepare);
      await use(opened, served.origin);
      assert.deepEqual(opened.violations, []);
      assert.deepEqual([...opened.origins], [served.origin]);
    });
  } finally {
    await served.close();
  }
}
