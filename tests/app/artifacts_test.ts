/**
 * The app fetches the files that proofs need with progress, caches them if they match their hash, and refuses
 * them otherwise.
 */
import assert from "node:assert/strict";
import { openAdapterPage, useAdapters } from "../support/app/adapter_page.ts";
import { withBrowser } from "../support/app/app_browser.ts";
import { serveApp, type ServedApp } from "../support/app/serve_app.ts";
import { withdraw2ProverInput, withdrawProverInput } from "../../testkit/circuits/prover_inputs.ts";
import { chromium } from "../support/system/chromium.ts";

const ignore = chromium === undefined;
const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });
const KEY = "withdraw2.zkey";

test("a key is fetched once, with progress by bytes, and read from the cache afterwards", () =>
  onPage(async ({ run }, served) => {
    let requests = 0;
    served.intercept = (request) => {
      if (request.url.endsWith(KEY)) requests++;
      return undefined;
    };
    const size = (await Deno.stat(new URL(`../../artifacts/${KEY}`, import.meta.url))).size;
    const { steps, length } = await run(async ({ booted }, name) => {
      const steps: { received: number; total: number }[] = [];
      const end = booted.artifacts.subscribe((progress) => steps.push(progress));
      const bytes = await booted.artifacts.read(new URL(`artifacts/${name}`, booted.base));
      end();
      return { steps, length: bytes.length };
    }, KEY);
    assert.equal(length, size);
    assert.deepEqual(steps[0], { received: 0, total: size }, "the download is shown before its first byte");
    assert.deepEqual(steps.at(-1), { received: size, total: size });
    assert.ok(
      steps.length > 2 && steps.every(({ received }, i) => i === 0 || received > steps[i - 1].received),
    );
    await read(run);
    assert.equal(requests, 1);
  }));

test("a file that the server altered is refused and not kept; one that the cache lost is fetched again", () =>
  onPage(async ({ run }, served) => {
    served.intercept = (request) =>
      request.url.endsWith(KEY) ? new Response(new Uint8Array(4_360_905)) : undefined;
    await assert.rejects(read(run), /artifact_corrupted/);
    served.intercept = (request) =>
      request.url.endsWith(KEY) ? new Response(new Uint8Array(9_000_000)) : undefined;
    await assert.rejects(read(run), /artifact_corrupted: .*larger/);
    served.intercept = (request) => request.url.endsWith(KEY) ? new Response("", { status: 404 }) : undefined;
    await assert.rejects(read(run), /artifact_unavailable: .*404/);
    served.intercept = undefined;
    const length = await read(run);
    await run(async ({ booted }, name) => { // a disk fault
      const cache = await caches.open("tonado-artifacts");
      await cache.put(new URL(`artifacts/${name}`, booted.base).href, new Response("x"));
    }, KEY);
    assert.equal(await read(run), length);
    await run(() => caches.delete("tonado-artifacts"), undefined);
    assert.equal(await read(run), length);
  }));

test("the progress after a failed download counts only the files of the next one", () =>
  onPage(async ({ run }, served) => {
    const missing = () => new Response("", { status: 404 });
    served.intercept = ({ url }) => /withdraw2\.(zkey|wasm)$/.test(url) ? missing() : undefined;
    const load = () =>
      run(async ({ booted }) => {
        let last: { received: number; total: number } | undefined;
        const end = booted.artifacts.subscribe((progress) => last = progress);
        const read = (kind: string) =>
          booted.artifacts.read(new URL(`artifacts/withdraw2.${kind}`, booted.base)).then((bytes) =>
            bytes.length
          );
        const sizes = await Promise.allSettled([read("zkey"), read("wasm")]);
        end();
        return { last, sizes: sizes.map((size) => size.status === "fulfilled" ? size.value : 0) };
      }, undefined);
    assert.deepEqual((await load()).sizes, [0, 0]);
    served.intercept = undefined;
    const { last, sizes: [key, program] } = await load();
    assert.ok(key > 0 && program > 0);
    assert.deepEqual(last, { received: key + program, total: key + program });
  }));

test("proofs of both versions are made in the page and verify, with shared memory and without", async () => {
  for (const isolated of [true, false]) {
    await onPage(async ({ run, violations }) => {
      assert.equal(await run(() => globalThis.crossOriginIsolated, undefined), isolated);
      const input = JSON.stringify(
        [withdrawProverInput(), withdraw2ProverInput()],
        (_, value) => typeof value === "bigint" ? { integer: String(value) } : value,
      );
      const verified = await run(async ({ createProver }, text) => {
        const [first, second] = JSON.parse(
          text,
          (_, value) => value?.integer === undefined ? value : BigInt(value.integer),
        );
        const prover = await createProver({ maxWorkers: 2 });
        const one = await prover.proveWithdraw(first);
        const two = await prover.proveWithdraw2(second);
        const results = [
          await prover.verify("withdraw", one.proof, one.publicSignals),
          await prover.verify("withdraw2", two.proof, two.publicSignals),
          await prover.verify("withdraw", one.proof, two.publicSignals),
        ];
        prover.close();
        return results;
      }, input);
      assert.deepEqual(verified, [true, true, false]);
      assert.deepEqual(violations, []);
    }, isolated);
  }
});

type Adapter = Awaited<ReturnType<typeof openAdapterPage>>;

function read(run: Adapter["run"]): Promise<number> {
  return run(
    async ({ booted }, name) =>
      (await booted.artifacts.read(new URL(`artifacts/${name}`, booted.base))).length,
    KEY,
  );
}

async function onPage(
  use: (page: Adapter, served: ServedApp) => Promise<void>,
  isolated = true,
): Promise<void> {
  await useAdapters();
  const served = await serveApp();
  const bare = await serveApp();
  if (!isolated) {
    served.intercept = async (request) => {
      const found = await fetch(new URL(new URL(request.url).pathname, bare.url));
      const headers = new Headers(found.headers);
      for (
        const name of [
          "cross-origin-opener-policy",
          "cross-origin-embedder-policy",
          "content-encoding",
          "content-length",
        ]
      ) {
        headers.delete(name);
      }
      return new Response(found.body, { status: found.status, headers });
    };
  }
  try {
    await withBrowser(async (browser) => await use(await openAdapterPage(browser, served.url), served));
  } finally {
    await served.close();
    await bare.close();
  }
}
