/// <reference lib="webworker" />
/** Serves the accepted version, also offline. It never stores answers of relayers and endpoints. */
import { sha256Hex } from "./browser/hex_digest.ts";
import {
  type AppVersion,
  type KnownVersions,
  LIVE_QUERY,
  type ServiceRequest,
  type VersionContent,
} from "./updates/protocol.ts";
import { CONFIG, fetchVersion, isPrecached, type LiveVersion } from "./updates/version.ts";

const scope = self as unknown as ServiceWorkerGlobalScope;
const base = new URL("./", scope.location.href);
const POINTER_CACHE = "tonado-accepted";
const CACHE_PREFIX = "tonado-app-";
const pointerUrl = new URL("accepted", base).href;
const encode = (text: string) => new TextEncoder().encode(text);

scope.addEventListener("install", (event) => {
  event.waitUntil(install());
});
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener("fetch", (event) => {
  const path = pathOf(event.request);
  if (path !== undefined) event.respondWith(serve(event.request, path));
});
scope.addEventListener("message", (event) => {
  const [port] = event.ports;
  if (port) event.waitUntil(answer(event.data as ServiceRequest).then((known) => port.postMessage(known)));
});

/** The first version is that of the loaded page and is accepted. Later versions wait for the user. */
async function install(): Promise<void> {
  if (await accepted() === undefined) {
    const live = await fetchVersion(base);
    await store(live);
    await point(live.id);
  }
  await scope.skipWaiting();
}

/** Returns the path of a file of the app; undefined for all other requests, which go to the network. */
function pathOf({ method, url, mode }: Request): string | undefined {
  const { origin, pathname, search } = new URL(url);
  if (method !== "GET" || origin !== base.origin || !pathname.startsWith(base.pathname)) return undefined;
  if (search === LIVE_QUERY && mode !== "navigate") return undefined; // other queries change no file
  const path = pathname.slice(base.pathname.length);
  if (path === "" || mode === "navigate") {
    return path === "" || path === "index.html" ? "index.html" : undefined;
  }
  return path === CONFIG || isPrecached(path) ? path : undefined;
}

async function serve(request: Request, path: string): Promise<Response> {
  const id = await accepted();
  const cache = id === undefined ? undefined : await caches.open(CACHE_PREFIX + id);
  const stored = await cache?.match(new URL(path, base).href);
  if (!stored || !await isLocalnet(cache)) return stored ?? await fetch(request);
  const live = await fetch(request).catch(() => undefined);
  return live?.ok ? live : stored;
}

/** On a local network, which has no real money, the newest version is accepted automatically. */
async function isLocalnet(cache: Cache | undefined): Promise<boolean> {
  const config = await (await cache?.match(new URL(CONFIG, base).href))?.json();
  return config?.network === "localnet";
}

async function answer(request: ServiceRequest): Promise<KnownVersions> {
  const running = await accepted() ?? "";
  if (request.kind === "accept") return await accept(request.id, running);
  const live = await fetchVersion(base).catch(() => undefined); // offline
  if (live === undefined || live.id === running) return { running };
  try {
    await store(live);
  } catch { // an incomplete update, or altered files: do not offer it
    return { running };
  }
  const isSilent = await isLocalnet(await caches.open(CACHE_PREFIX + running)) &&
    JSON.parse(live.config).network === "localnet";
  if (!isSilent) {
    const contents = { running: await contentOf(running), waiting: await contentOf(live.id) };
    return { running, waiting: live.id, contents };
  }
  return await accept(live.id, running);
}

async function contentOf(id: string): Promise<VersionContent> {
  const cache = await caches.open(CACHE_PREFIX + id);
  const read = async (name: string) => await (await cache.match(new URL(name, base).href))!.text();
  const { files } = JSON.parse(await read("version.json")) as AppVersion;
  return { config: await read(CONFIG), files };
}

async function accept(id: string, running: string): Promise<KnownVersions> {
  if (!await caches.has(CACHE_PREFIX + id)) return { running };
  await point(id);
  await removeOthers(id);
  return { running: id };
}

/** Stores every file of a version that matches its hash. */
async function store({ id, version, config }: LiveVersion): Promise<void> {
  const name = CACHE_PREFIX + id;
  try {
    const cache = await caches.open(name);
    await Promise.all(
      Object.entries(version.files).filter(([path]) => isPrecached(path)).map(async ([path, { sha256 }]) => {
        const response = await fetch(new URL(path, base), { cache: "no-cache" });
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (!response.ok || await sha256Hex(bytes) !== sha256) {
          throw new Error(`${path} does not match its hash`);
        }
        await cache.put(new URL(path, base).href, new Response(bytes, { headers: keptHeaders(response) }));
      }),
    );
    const headers = { "content-type": "application/json" };
    await cache.put(new URL(CONFIG, base).href, new Response(config, { headers }));
    await cache.put(new URL("version.json", base).href, new Response(JSON.stringify(version), { headers }));
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
}

function keptHeaders({ headers }: Response): Headers {
  const kept = new Headers();
  for (
    const name of [
      "content-type",
      "content-security-policy",
      "cross-origin-opener-policy",
      "cross-origin-embedder-policy",
      "cross-origin-resource-policy",
      "referrer-policy",
      "x-content-type-options",
      "permissions-policy",
    ]
  ) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

async function accepted(): Promise<string | undefined> {
  const cache = await caches.open(POINTER_CACHE);
  const id = await (await cache.match(pointerUrl))?.text();
  return id !== undefined && await caches.has(CACHE_PREFIX + id) ? id : undefined;
}

async function point(id: string): Promise<void> {
  await (await caches.open(POINTER_CACHE)).put(pointerUrl, new Response(encode(id)));
}

async function removeOthers(id: string): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE_PREFIX) && name !== CACHE_PREFIX + id) await caches.delete(name);
  }
}
