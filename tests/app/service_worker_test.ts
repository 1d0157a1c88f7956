/// <reference lib="dom" />
/** The service worker serves the accepted version, also offline, and switches versions only with consent. */
import assert from "node:assert/strict";
import type { Browser, Page } from "puppeteer-core";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { adaptersReady, openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { buildApp, useBuild } from "../support/app/built_app.ts";
import { serveApp, type ServedApp } from "../support/app/serve_app.ts";
import { chromium } from "../support/system/chromium.ts";
import { runCommand } from "../../testkit/programs/run_command.ts";
import { createHash } from "node:crypto";

const ignore = chromium === undefined;
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

test("offline, the accepted version loads, and no response of a server was stored", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const { running } = await run(({ place }) => place.versions(), undefined);
    assert.match(running, /^[0-9a-f]{64}-[0-9a-f]{64}$/, "both hashes are whole");
    await run(() => fetch("/answer?of=relayer").then((r) => r.status), undefined);
    served.intercept = () => new Response(null, { status: 503 });
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    assert.equal(
      await run(() => globalThis.crossOriginIsolated, undefined),
      true,
      "the headers travel with it",
    );
    const stored = await run(async () => {
      const names = await caches.keys();
      const urls = await Promise.all(
        names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
      );
      return urls.flat().map((url) => new URL(url).pathname + new URL(url).search);
    }, undefined);
    assert.ok(stored.includes("/index.html"));
    assert.deepEqual(stored.filter((path) => /answer|\?|artifacts/.test(path)), []);
  }));

test("a new version is shown by its hash, and serves nothing before it is accepted", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const { running } = await run(({ place }) => place.versions(), undefined);
    await withChangedBuild(async (changed) => {
      useBuild(changed);
      await served.reopen();
      await page.reload({ waitUntil: "load" });
      await adaptersReady(page);
      assert.equal(await page.title(), "tonado", "the old page");
      const versions = await run(({ place }) => place.versions(), undefined);
      assert.equal(versions.running, running);
      const expected = createHash("sha256").update(await Deno.readFile(new URL("SHA256SUMS", changed)))
        .digest("hex");
      assert.equal(versions.waiting?.slice(0, 64), expected, "it names the hash of SHA256SUMS");
      await page.reload({ waitUntil: "load" });
      assert.equal(await page.title(), "tonado", "looking accepts nothing");
      for (const query of ["?from=chat", "index.html?from=chat"]) {
        await page.goto(served.url + query, { waitUntil: "load" });
        assert.equal(await page.title(), "tonado", "a query reaches no other version");
      }
      await adaptersReady(page);
      const reloaded = page.waitForNavigation();
      await page.evaluate(`void adapters.place.acceptWaiting("${versions.waiting}")`);
      await reloaded;
      await adaptersReady(page);
      assert.equal(await page.title(), "another version");
      assert.deepEqual(await run(({ place }) => place.versions(), undefined), { running: versions.waiting });
    });
  }));

test("a version with a file that does not match its hash is not offered", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const before = await run(({ place }) => place.versions(), undefined);
    await withChangedBuild(async (changed) => {
      useBuild(changed);
      await served.reopen();
      served.intercept = (request) =>
        new URL(request.url).pathname === "/index.html" ? new Response("<title>forged</title>") : undefined;
      assert.deepEqual(await run(({ place }) => place.versions(), undefined), before);
      await page.reload({ waitUntil: "load" });
      assert.equal(await page.title(), "tonado");
    });
  }));

test("the version that was shown is accepted, also if the server offers another one meanwhile", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    await served.reopen({ relayers: ["https://shown.example"] });
    const { waiting } = await run(({ place }) => place.versions(), undefined);
    await served.reopen({ relayers: ["https://other.example"] });
    const reloaded = page.waitForNavigation();
    await page.evaluate(`void adapters.place.acceptWaiting("${waiting}")`);
    await reloaded;
    await adaptersReady(page);
    assert.deepEqual(await run(({ config }) => config.relayers, undefined), ["https://shown.example"]);
  }));

test("other pools of the server wait for consent, too", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const { running } = await run(({ place }) => place.versions(), undefined);
    await served.reopen({ relayers: ["https://other.example"] });
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    assert.deepEqual(await run(({ config }) => config.relayers, undefined), []);
    const { waiting } = await run(({ place }) => place.versions(), undefined);
    assert.equal(waiting?.slice(0, 64), running.slice(0, 64), "the files are the same");
    assert.notEqual(waiting, running);
  }));

test("a website that calls itself a local network changes nothing without consent", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const { running } = await run(({ place }) => place.versions(), undefined);
    await served.reopen({ deployments: { network: "localnet", pools: new Map() } });
    const known = await run(({ place }) => place.versions(), undefined);
    assert.equal(known.running, running);
    assert.notEqual(known.waiting, undefined, "it waits for consent");
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    assert.equal(await run(({ config }) => config.network, undefined), "testnet");
  }));

test("on a local network, which begins anew at each start, the newest version serves at once", () =>
  onServed(async (browser, served) => {
    const deployments = { network: "localnet" as const, pools: new Map() };
    await served.reopen({ deployments });
    const { page, run } = await openAdapterPage(browser, served.url);
    await run(({ place }) => place.versions(), undefined);
    await served.reopen({ deployments, relayers: ["https://other.example"] });
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    assert.deepEqual(await run(({ config }) => config.relayers, undefined), ["https://other.example"]);
    assert.equal((await run(({ place }) => place.versions(), undefined)).waiting, undefined);
  }));

test("another page of the origin accepts no version, and cannot change what the accepted one serves", () =>
  onServed(async (browser, served) => {
    const { page, run } = await openAdapterPage(browser, served.url);
    const { running } = await run(({ place }) => place.versions(), undefined);
    const headers = await headersOf(page);
    await served.reopen({ relayers: ["https://other.example"] });
    const { waiting } = await run(({ place }) => place.versions(), undefined);
    served.intercept = (request) =>
      new URL(request.url).pathname === "/other.html"
        ? new Response("<title>other</title>", { headers: { "content-type": "text/html" } })
        : undefined;
    const other = await page.browserContext().newPage();
    await other.goto(`${served.url}other.html`);
    assert.equal(await other.title(), "other");
    await other.evaluate(attack, waiting!);
    await other.close();
    await page.bringToFront();
    assert.equal((await run(({ place }) => place.versions(), undefined)).running, running, "not accepted");
    await served.reopen(); // a changed file is fetched again if the website still has it
    await page.reload({ waitUntil: "load" });
    await adaptersReady(page);
    assert.deepEqual(await run(({ config }) => config.relayers, undefined), [], "the accepted settings");
    assert.deepEqual(await headersOf(page), headers, "the accepted policy");
    // What was changed once more and cannot be fetched again is not served.
    await page.evaluate(overwrite);
    served.intercept = () => new Response("offline", { status: 503 });
    await page.reload({ waitUntil: "load" });
    assert.match(await page.evaluate(() => document.body.innerText), /was changed or lost/);
  }));

/** The page's policy as it was served. */
const headersOf = (page: Page) =>
  page.evaluate(async () =>
    [...(await fetch("index.html")).headers].filter(([name]) => name !== "date").sort()
  );

/** Runs in the other page. Tries to make the worker accept `id`, and writes to its caches. */
async function attack(id: string): Promise<void> {
  const { active } = (await navigator.serviceWorker.getRegistration("/"))!;
  const ask = (message: unknown) =>
    new Promise<{ token?: string } | undefined>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      active!.postMessage(message, [port2]);
      setTimeout(resolve, 2_000); // no answer is the expected one
    });
  history.replaceState(null, "", "/");
  const token = (await ask({ kind: "check" }))?.token ?? "";
  await ask({ kind: "accept", id, token });
  for (const name of (await caches.keys()).filter((name) => name.startsWith("tonado-app-"))) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const text = /config/.test(url) ? '{"relayers":["https://evil.example"]}' : "<title>forged</title>";
      await cache.put(url, new Response(text, { headers: { "content-type": "text/html" } }));
    }
  }
}

/** Runs in the page. */
async function overwrite(): Promise<void> {
  for (const name of (await caches.keys()).filter((name) => name.startsWith("tonado-app-"))) {
    await (await caches.open(name)).put("/index.html", new Response("<title>forged</title>"));
  }
}

async function onServed(use: (browser: Browser, served: ServedApp) => Promise<void>): Promise<void> {
  await useAdapters();
  const served = await serveApp();
  try {
    await withBrowser((browser) => use(browser, served));
  } finally {
    await served.close();
    await useAdapters();
  }
}

/** Passes a build that differs in its page's title, with consistent hashes. */
async function withChangedBuild(use: (folder: URL) => Promise<void>): Promise<void> {
  const built = await buildApp("tests/app/page/adapters.ts");
  await withTempDirectory(async (folder) => {
    const { code, stderr } = await runCommand("cp", ["-r", built.pathname, `${folder}/app`], {});
    assert.equal(code, 0, stderr);
    const changed = new URL(`file://${folder}/app/`);
    const page = (await Deno.readTextFile(new URL("index.html", changed)))
      .replace("<title>tonado</title>", "<title>another version</title>");
    await Deno.writeTextFile(new URL("index.html", changed), page);
    const version = JSON.parse(await Deno.readTextFile(new URL("version.json", changed)));
    version.files["index.html"].sha256 = createHash("sha256").update(page).digest("hex");
    const sums = Object.keys(version.files).map((name) => `${version.files[name].sha256}  ${name}\n`).join(
      "",
    );
    await Deno.writeTextFile(new URL("SHA256SUMS", changed), sums);
    await Deno.writeTextFile(new URL("version.json", changed), JSON.stringify(version));
    await use(changed);
  });
}
