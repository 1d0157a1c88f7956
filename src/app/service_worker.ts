/// <reference lib="webworker" />
/**
 * Serves the accepted version, also offline. It never stores answers of relayers and endpoints. Other pages of the origin
 * can write to the caches, so each file is compared with its accepted hash before it is served.
 */
import { sha256Hex } from "./browser/hex_digest.ts";
import {
  type KnownVersions,
  LIVE_QUERY,
  type ServiceRequest,
  type VersionContent,
} from "./updates/protocol.ts";
import { lostVersion } from "./updates/lost_version.ts";
import { CONFIG, fetchVersion, isPrecached, type LiveVersion } from "./updates/version.ts";

/** The accepted version: what its files must be. The cache has only their bytes. */
interface Accepted {
  readonly id: string;
  readonly files: Readonly<Record<string, AcceptedFile>>;
}
interface AcceptedFile {
  readonly sha256: string;
  /** Absent for files that this worker does not serve. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A version that waits for the consent of the page that asked. */
interface Offer {
  readonly version: Accepted;
  readonly token: string;
}

const scope = self as unknown as ServiceWorkerGlobalScope;
const base = new URL("./", scope.location.href);
const POINTER_CACHE = "tonado-accepted";
const CACHE_PREFIX = "tonado-app-";
const pointerUrl = new URL("accepted", base).href;
const JSON_HEADERS = { "content-type": "application/json" };
const encode = (text: string) => new TextEncoder().encode(text);
const cacheOf = (id: string) => caches.open(CACHE_PREFIX + id);
const urlOf = (path: string) => new URL(path, base).href;

/** By page. They end with this worker, and the page then asks again. */
const offers = new Map<string, Offer>();
let current: Accepted | undefined; // read once, so that a later change of the record by another page has no effect

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
  if (!port || !isAppPage(event.source)) return;
  const { source } = event;
  event.waitUntil(
    answer(event.data as ServiceRequest, source).then((known) => port.postMessage(known)),
  );
});

/** Whether a window shows the app. Its URL is the one that it was opened with, which scripts cannot change. */
function isAppPage(source: ExtendableMessageEvent["source"]): source is WindowClient {
  if (!(source instanceof WindowClient) || source.frameType !== "top-level") return false;
  const { origin, pathname } = new URL(source.url);
  return origin === base.origin && ["", "index.html"].includes(pathname.slice(base.pathname.length)) &&
    pathname.startsWith(base.pathname);
}

/** The first version is that of the loaded page and is accepted. Later versions wait for the user. */
async function install(): Promise<void> {
  if (await accepted() === undefined) await point(await store(await fetchVersion(base)));
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
  const version = await accepted();
  const file = version?.files[path];
  if (version === undefined || file === undefined) return await fetch(request);
  if (await isLocalnet(version)) {
    const live = await fetch(request).catch(() => undefined);
    if (live?.ok) return live;
  }
  const bytes = await readFile(version, path) ?? await fetchAgain(version, path);
  if (bytes) return new Response(bytes, { ...file.headers && { headers: file.headers } });
  if (request.mode !== "navigate") return Response.error();
  return new Response(lostVersion, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** Returns the bytes of an accepted file; undefined if the cache lacks them or has others. */
async function readFile({ id, files }: Accepted, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stored = await (await cacheOf(id)).match(urlOf(path));
  return stored && await matching(stored, files[path]);
}

/** Replaces a file that another page has changed or removed, if the server still has the accepted one. */
async function fetchAgain(
  { id, files }: Accepted,
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const live = path === CONFIG ? path + LIVE_QUERY : path;
  const response = await fetch(urlOf(live), { cache: "no-cache" }).catch(() => undefined);
  const bytes = response?.ok ? await matching(response, files[path]) : undefined;
  if (bytes) await (await cacheOf(id)).put(urlOf(path), new Response(bytes)).catch(() => {}); // full
  return bytes;
}

async function matching(
  response: Response,
  { sha256 }: AcceptedFile,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return await sha256Hex(bytes) === sha256 ? bytes : undefined;
}

/** On a local network, which has no real money, the newest version is accepted automatically. */
async function isLocalnet(version: Accepted): Promise<boolean> {
  const config = await readFile(version, CONFIG);
  return config !== undefined && JSON.parse(new TextDecoder().decode(config)).network === "localnet";
}

async function answer(request: ServiceRequest, page: WindowClient): Promise<KnownVersions> {
  const version = await accepted();
  const running = version?.id ?? "";
  if (request.kind === "accept") return await acceptOffer(request, page, running);
  const live = await fetchVersion(base).catch(() => undefined); // offline
  if (live === undefined || live.id === running) return { running };
  let waiting: Accepted;
  try {
    waiting = await store(live);
  } catch { // an incomplete update, or altered files: do not offer it
    return { running };
  }
  const isSilent = version !== undefined && await isLocalnet(version) &&
    JSON.parse(live.config).network === "localnet";
  if (isSilent) return await accept(waiting);
  const token = crypto.randomUUID();
  offers.set(page.id, { version: waiting, token });
  const { config, version: { files } } = live;
  const contents = version && { running: await contentOf(version), waiting: { config, files } };
  return { running, waiting: live.id, token, ...contents && { contents } };
}

async function contentOf(version: Accepted): Promise<VersionContent> {
  const config = new TextDecoder().decode(await readFile(version, CONFIG) ?? encode("{}"));
  const { [CONFIG]: _config, ...files } = version.files;
  return { config, files };
}

/** Only the page that was shown the version accepts it, while its user sees the page. */
async function acceptOffer(
  { id, token }: ServiceRequest & { readonly kind: "accept" },
  page: WindowClient,
  running: string,
): Promise<KnownVersions> {
  const offer = offers.get(page.id);
  if (offer?.token !== token || offer.version.id !== id || page.visibilityState !== "visible") {
    return { running };
  }
  offers.delete(page.id);
  return await accept(offer.version);
}

async function accept(version: Accepted): Promise<KnownVersions> {
  await point(version);
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE_PREFIX) && name !== CACHE_PREFIX + version.id) await caches.delete(name);
  }
  return { running: version.id };
}

/** Stores the bytes of every file of a version that matches its hash. */
async function store({ id, version, config }: LiveVersion): Promise<Accepted> {
  try {
    const cache = await cacheOf(id);
    const stored = await Promise.all(
      Object.entries(version.files).filter(([path]) => isPrecached(path)).map(async ([path, { sha256 }]) => {
        const response = await fetch(urlOf(path), { cache: "no-cache" });
        const headers = keptHeaders(response);
        const bytes = response.ok ? await matching(response, { sha256 }) : undefined;
        if (bytes === undefined) throw new Error(`${path} does not match its hash`);
        await cache.put(urlOf(path), new Response(bytes));
        return [path, { sha256, headers }] as const;
      }),
    );
    await cache.put(urlOf(CONFIG), new Response(config));
    const settings = { sha256: await sha256Hex(encode(config)), headers: JSON_HEADERS };
    return { id, files: { ...version.files, ...Object.fromEntries(stored), [CONFIG]: settings } };
  } catch (error) {
    await caches.delete(CACHE_PREFIX + id);
    throw error;
  }
}

function keptHeaders({ headers }: Response): Record<string, string> {
  const names = [
    "content-type",
    "content-security-policy",
    "cross-origin-opener-policy",
    "cross-origin-embedder-policy",
    "cross-origin-resource-policy",
    "referrer-policy",
    "x-content-type-options",
    "permissions-policy",
  ];
  return Object.fromEntries(names.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
}

async function accepted(): Promise<Accepted | undefined> {
  if (current === undefined) {
    const record = await (await caches.open(POINTER_CACHE)).match(pointerUrl);
    current = await record?.json().catch(() => undefined) as Accepted | undefined;
  }
  return current !== undefined && await caches.has(CACHE_PREFIX + current.id) ? current : undefined;
}

async function point(version: Accepted): Promise<void> {
  await (await caches.open(POINTER_CACHE)).put(pointerUrl, new Response(JSON.stringify(version)));
  current = version;
}
