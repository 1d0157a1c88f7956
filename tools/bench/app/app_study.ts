/// <reference lib="dom" />
/** Measures the app in Chromium whose page runs at a quarter of its speed, against the budgets of its design. */
import type { Browser, Page } from "puppeteer-core";
import { openAppSite } from "../../../src/http/app/app_site.ts";
import { appLocations } from "../../../src/http/app/app_files.ts";
import { FIELD_BYTES } from "../../../src/core/crypto/field.ts";
import { withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { launchBrowser } from "../../../testkit/programs/browser.ts";
import { startProgram } from "../../../testkit/programs/program.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { commandOutput } from "../../shared/command.ts";
import { figure, type Outcome, type Study } from "../study.ts";
import type { AppBench } from "./bench_page.ts";

const root = new URL("../../../", import.meta.url);
const CHROMIUM = Deno.env.get("TONADO_CHROMIUM") ?? "/usr/bin/chromium";
const SLOWDOWN = 4;
const WORKERS = 2;
const ROUNDS = 5;
const LEAVES = 2 ** 17;
const LONG_TIMEOUT_MS = 180_000;

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a build of the app, and a relayer's pages of leaves below `/relayer/`. */
async function serve(folder: string): Promise<Served> {
  appLocations.folder = new URL(`file://${folder}/`);
  const endpoint = "http://127.0.0.1:9/api/v2/jsonRPC"; // answers nothing
  const site = await openAppSite("/", {
    depositEndpoint: endpoint,
    withdrawalEndpoint: endpoint,
    relayers: [],
    deployments: { network: "testnet", pools: new Map() },
  });
  const leaves = new Uint8Array(LEAVES * FIELD_BYTES);
  const view = new DataView(leaves.buffer);
  for (let i = 0; i < LEAVES; i++) view.setUint32(i * FIELD_BYTES + FIELD_BYTES - 4, i + 1);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith("/relayer/")) return site.respond(request);
    const [from, limit] = ["from", "limit"].map((name) => Number(searchParams.get(name)) * FIELD_BYTES);
    const headers = { "content-type": "application/octet-stream" };
    return new Response(leaves.subarray(from, from + limit), { headers });
  });
  return { url: `http://localhost:${server.addr.port}/`, close: () => server.shutdown() };
}

/** Opens a page at a quarter of its speed, with a list of the tasks that blocked it for 50 ms or more. */
async function openSlowPage(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(LONG_TIMEOUT_MS);
  await page.evaluateOnNewDocument(() => {
    const blocks: number[] = [];
    Object.assign(globalThis, { blocks });
    new PerformanceObserver((list) => blocks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: "longtask", buffered: true });
  });
  const session = await page.createCDPSession();
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto(url, { waitUntil: "load" });
  return page;
}

/** Returns the longest block since the last call; 0 if none reached 50 ms. */
const takeLongestBlock = (page: Page) =>
  page.evaluate(() => {
    const { blocks } = globalThis as unknown as { blocks: number[] };
    return Math.max(0, ...blocks.splice(0));
  });

async function measureStart(browser: Browser, url: string): Promise<{ ready: number; block: number }> {
  const page = await openSlowPage(browser, url);
  await page.waitForSelector('[data-step="absent"] button');
  const ready = await page.evaluate(() =>
    new Promise<number>((resolve) => setTimeout(() => resolve(performance.now())))
  );
  const block = await takeLongestBlock(page);
  await page.browserContext().close();
  return { ready, block };
}

async function measureWork(browser: Browser, url: string) {
  const page = await openSlowPage(browser, url);
  await page.waitForFunction(() => "appBench" in globalThis);
  const input = Object.fromEntries(
    Object.entries(withdrawProverInput()).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((each) => typeof each === "bigint" ? String(each) : each)
        : String(value),
    ]),
  );
  const prove = () =>
    page.evaluate(
      (input, workers) => (globalThis as unknown as { appBench: AppBench }).appBench.prove(input, workers),
      input,
      WORKERS,
    );
  const first = await prove();
  await takeLongestBlock(page);
  const proofs: number[] = [];
  for (let i = 0; i < ROUNDS; i++) proofs.push(await prove());
  const proofBlock = await takeLongestBlock(page);
  const tree = await page.evaluate(
    (relayer, leaves) =>
      (globalThis as unknown as { appBench: AppBench }).appBench.buildTree(relayer, leaves),
    `${url}relayer`,
    LEAVES,
  );
  const treeBlock = await takeLongestBlock(page);
  await page.browserContext().close();
  return { first, proofs, proofBlock, tree, treeBlock };
}

/** Returns the seconds until `deno task app` has printed its addresses. */
async function measureTask(): Promise<number> {
  const started = performance.now();
  const task = startProgram([Deno.execPath(), "task", "--cwd", root.pathname, "app"], [
    ...["--port", "0", "--json"],
  ]);
  try {
    while (!(await task.nextLine()).startsWith("{"));
    return (performance.now() - started) / 1000;
  } finally {
    await task.stop();
  }
}

async function build(main: string, output: string): Promise<string> {
  const args = ["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets", "--main", main];
  await commandOutput(Deno.execPath(), [...args, "--output", output], { cwd: root });
  return output;
}

async function measureApp(): Promise<Outcome> {
  const task = await measureTask();
  return await withTempDirectory(async (directory) => {
    const app = await build("src/app/main.ts", `${directory}/app`);
    const bench = await build("tools/bench/app/bench_page.ts", `${directory}/bench`);
    const browser = await launchBrowser(CHROMIUM, { protocolTimeout: LONG_TIMEOUT_MS });
    try {
      const starts: { ready: number; block: number }[] = [];
      const page = await serve(app);
      for (let i = 0; i < ROUNDS; i++) starts.push(await measureStart(browser, page.url));
      await page.close();
      const benchPage = await serve(bench);
      const work = await measureWork(browser, benchPage.url);
      await benchPage.close();
      const blocks = [work.proofBlock, work.treeBlock];
      const atMost = (limit: number) => ({ target: { of: "value", atMost: limit } } as const);
      return {
        figures: [
          figure("interactive from localhost", starts.map(({ ready }) => ready), "ms", atMost(1000)),
          figure(
            "longest task of the start",
            Math.max(...starts.map(({ block }) => block)),
            "ms",
            atMost(100),
          ),
          figure(`proof of a withdrawal, ${WORKERS} workers`, work.proofs, "ms", atMost(5000)),
          figure("first proof, with the download of its keys", work.first, "ms"),
          figure("tree of 2^17 leaves from localhost", work.tree, "ms", atMost(6000)),
          figure("longest block of the page", Math.max(...blocks), "ms", atMost(50)),
          figure("`deno task app` until it is ready", task, "s"),
        ],
      };
    } finally {
      await browser.close();
    }
  });
}

export const appStudy: Study = {
  id: "app",
  title: "The app in a browser",
  about:
    `Headless Chromium whose page runs ${SLOWDOWN} times slower; its workers run at full speed, because the browser slows down only pages. Medians of ${ROUNDS} visits with an empty cache, and of ${ROUNDS} proofs; the longest block is the worst of all proofs and of the tree. 0 means below 50 ms. \`deno task app\` builds the app and starts a local network with its relayer.`,
  run: measureApp,
};
