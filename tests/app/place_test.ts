/**
 * The places where the app refuses to run, the permissions that its server gives a browser, and the policy of
 * the real page.
 */
import assert from "node:assert/strict";
import { findOwnAddress } from "../../src/app/browser/place.ts";
import { openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { openAppPage, withBrowser } from "../support/app/app_browser.ts";
import { buildApp, useBuild } from "../support/app/built_app.ts";
import { serveApp } from "../support/app/serve_app.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

test("a gateway that serves every site from one origin is refused", () =>
  faultAt({ prefix: "/ipfs/bafy/" }, "path_gateway"));

test("an origin without TLS is refused, and localhost is not", async () => {
  await faultAt({ host: "app.test" }, "insecure_origin", ["--host-resolver-rules=MAP app.test 127.0.0.1"]);
  await faultAt({}, undefined);
});

test("the header keeps the page out of frames, and without the header the page refuses by itself", async () => {
  await useAdapters();
  const served = await serveApp();
  try {
    await withBrowser(async (browser) => {
      served.intercept = (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/outer") {
          return new Response('<iframe src="/"></iframe>', { headers: { "content-type": "text/html" } });
        }
        return undefined;
      };
      const { page } = await openAppPage(browser, `${served.origin}/outer`);
      const framed = page.frames()[1];
      assert.ok(framed === undefined || !framed.url().startsWith(served.origin), "the header blocks it");
    });
    const site = served.intercept!;
    served.intercept = async (request) => {
      const found = await site(request);
      if (found) return found;
      const bare = await fetch(new URL(new URL(request.url).pathname, `${origin2.url}`));
      const headers = new Headers(bare.headers);
      headers.delete("content-security-policy");
      headers.delete("content-encoding");
      headers.delete("content-length");
      return new Response(bare.body, { status: bare.status, headers });
    };
    const origin2 = await serveApp();
    try {
      await withBrowser(async (browser) => {
        const { page } = await openAppPage(browser, `${served.origin}/outer`);
        const frame = page.frames()[1];
        await frame.waitForFunction("globalThis.adapters !== undefined");
        assert.equal(await frame.evaluate("adapters.place.findFault()"), "framed");
      });
    } finally {
      await origin2.close();
    }
  } finally {
    await served.close();
  }
});

test("the app itself opens with no violation, no request to another origin, and isolated", async () => {
  useBuild(await buildApp());
  const served = await serveApp();
  try {
    await withBrowser(async (browser) => {
      const { page, violations, origins } = await openAppPage(browser, served.url);
      await page.waitForSelector("h1");
      assert.equal(await page.evaluate("crossOriginIsolated"), true);
      assert.deepEqual(violations, []);
      assert.deepEqual([...origins], [served.origin]);
    });
  } finally {
    await served.close();
  }
});

test("scripts of another name do not become workers, and text does not become code", async () => {
  await useAdapters();
  const served = await serveApp();
  try {
    await withBrowser(async (browser) => {
      const { run } = await openAdapterPage(browser, served.url);
      const attempts = await run(async () => {
        await new Promise((resolve) => setTimeout(resolve)); // in its own turn, the debugger may evaluate text
        const tried = async (work: () => unknown) => {
          try {
            await work();
            return "done";
          } catch (error) {
            return (error as Error).name;
          }
        };
        return {
          worker: await tried(() => new Worker("/elsewhere.js")),
          html: await tried(() => document.body.innerHTML = "<b>x</b>"),
          code: await tried(() => (0, eval)("1")),
          policy: await tried(() =>
            (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } })
              .trustedTypes.createPolicy("tonado", {})
          ),
          fetch: await tried(() => fetch("https://example.com/")),
        };
      }, undefined);
      assert.deepEqual(attempts, {
        worker: "TypeError",
        html: "TypeError",
        code: "EvalError",
        policy: "TypeError",
        fetch: "TypeError",
      });
    });
  } finally {
    await served.close();
  }
});

Deno.test("a page that cannot keep notes says where the app has an address of its own, if the address tells", () => {
  const page = "https://gateway.example/ipfs/bafyabc/app/index.html#/restore";
  assert.equal(findOwnAddress("path_gateway", page), "https://bafyabc.ipfs.gateway.example/app/index.html");
  assert.equal(
    findOwnAddress("path_gateway", "https://g.example/ipns/app-eth/"),
    "https://app-eth.ipns.g.example/",
  );
  assert.equal(findOwnAddress("path_gateway", "https://g.example/ipfs/QmCapitals/"), undefined);
  assert.equal(findOwnAddress("framed", page), page);
  assert.equal(findOwnAddress("insecure_origin", page), undefined);
  assert.equal(findOwnAddress(undefined, page), undefined);
});

async function faultAt(
  { prefix = "/", host = "localhost" }: { readonly prefix?: string; readonly host?: string },
  expected: string | undefined,
  args: readonly string[] = [],
): Promise<void> {
  await useAdapters();
  const served = await serveApp({}, { prefix });
  try {
    await withBrowser(async (browser) => {
      const { run } = await openAdapterPage(browser, served.url.replace("localhost", host));
      assert.equal(await run(({ place }) => place.findFault(), undefined), expected);
      const registered = await run(
        async () => (await navigator.serviceWorker?.getRegistrations())?.length ?? 0,
        undefined,
      );
      assert.equal(registered, expected === undefined ? 1 : 0, "no worker stays where notes must not");
    }, args);
  } finally {
    await served.close();
  }
}
