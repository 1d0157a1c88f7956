/** Serves the built app: only files that its manifest lists, and the settings of this server. */
import { gzip } from "node:zlib";
import { promisify } from "node:util";
import type { Deployments } from "../../core/protocol/deployments.ts";
import { formatDeployments } from "../../core/protocol/deployments.ts";
import { systemClock } from "../../core/time/clock.ts";
import { TtlCache } from "../../core/time/ttl_cache.ts";
import { streamBytes } from "../responses/response_backpressure.ts";
import { type AppManifest, readAppFile, readManifest } from "./app_files.ts";
import { appHeaders } from "./app_headers.ts";

export interface AppSettings {
  readonly depositEndpoint: string;
  readonly withdrawalEndpoint: string;
  /** Absolute URLs, or relative to the app's folder for the server itself. */
  readonly relayers: readonly string[];
  readonly deployments: Deployments;
  /** Replaces the committed list of wallets; for test networks. */
  readonly wallets?: readonly AppWallet[];
  /** The URL of a manifest that phone wallets can fetch, for an app on localhost. Default: the app's own. */
  readonly walletManifest?: string;
}

interface AppWallet {
  readonly id: string;
  readonly name: string;
  readonly link: string;
  readonly bridge: string;
}

interface AppSite {
  readonly hash: string; // SHA-256 of `SHA256SUMS`
  respond(request: Request): Promise<Response>;
}

interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly packed?: Uint8Array<ArrayBuffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  png: "image/png",
  wasm: "application/wasm",
};
const CONFIG = "config.json";
const WALLET_MANIFEST = "tonconnect-manifest.json";
const HASHED_NAME = /-[0-9A-Za-z]{8,16}\.(js|css|wasm)$/;
/** `no-transform`: a proxy that compresses again would break the checksums. */
const IMMUTABLE = "public, max-age=31536000, immutable, no-transform";
const REVALIDATE = "no-cache, no-transform";
const compress = promisify(gzip);

/** `prefix`: path of the app's folder, such as `/app/`. Throws `not_found` if the app has not been built. */
export async function openAppSite(prefix: string, settings: AppSettings): Promise<AppSite> {
  const manifest = await readManifest();
  const { depositEndpoint, withdrawalEndpoint, relayers } = settings;
  const connect = [depositEndpoint, withdrawalEndpoint, ...relayers.filter((url) => URL.canParse(url))]
    .map((url) => new URL(url).origin);
  const bridges = settings.wallets?.map(({ bridge }) => new URL(bridge).origin) ?? manifest.bridges;
  const headers = appHeaders([...connect, ...bridges]);
  const files = new TtlCache<SiteFile>(systemClock, { ttlMs: Infinity, maxEntries: Infinity });
  const config = new TextEncoder().encode(formatConfig(settings, connect, bridges));
  const find = async (name: string, url: URL): Promise<SiteFile | undefined> => {
    if (name === CONFIG) return { bytes: config };
    if (name === WALLET_MANIFEST) return { bytes: walletManifest(url, prefix) };
    const isListed = Object.hasOwn(manifest.files, name) || name === "version.json" || name === "SHA256SUMS";
    return isListed ? await files.get(name, () => loadFile(name)) : undefined;
  };
  return {
    hash: manifest.hash,
    async respond(request) {
      const url = new URL(request.url);
      const name = url.pathname.slice(prefix.length) || "index.html";
      const file = url.pathname.startsWith(prefix) ? await find(name, url) : undefined;
      if (!file) return textResponse(404, "not found\n", headers);
      if (request.method !== "GET" && request.method !== "HEAD") {
        return textResponse(405, "method not allowed\n", { ...headers, allow: "GET, HEAD" });
      }
      return fileResponse(request, name, file, { ...headers, ...cacheHeaders(name, manifest) });
    },
  };
}

/** Scripts and keys are compressed once, off this thread. */
async function loadFile(name: string): Promise<SiteFile> {
  const bytes = await readAppFile(name);
  if (name.endsWith(".png")) return { bytes };
  const packed = await compress(bytes, { level: 9 });
  return { bytes, packed: new Uint8Array(packed) };
}

function cacheHeaders(name: string, manifest: AppManifest): Record<string, string> {
  const isHashed = HASHED_NAME.test(name);
  const etag = manifest.files[name]?.sha256;
  return { "cache-control": isHashed ? IMMUTABLE : REVALIDATE, ...etag && { etag: `"${etag}"` } };
}

function fileResponse(
  request: Request,
  name: string,
  { bytes, packed }: SiteFile,
  headers: Record<string, string>,
): Response {
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const own: Record<string, string> = {
    ...headers,
    "content-type": TYPES[extension] ?? (name === "SHA256SUMS" ? "text/plain" : "application/octet-stream"),
    vary: "accept-encoding",
  };
  if (headers.etag !== undefined && request.headers.get("if-none-match") === headers.etag) {
    return new Response(null, { status: 304, headers: own });
  }
  const isPacked = packed !== undefined && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const body = isPacked ? packed : bytes;
  if (isPacked) own["content-encoding"] = "gzip";
  own["content-length"] = String(body.length);
  return new Response(request.method === "HEAD" ? null : streamBytes(body), { headers: own });
}

function textResponse(status: number, text: string, headers: Record<string, string>): Response {
  return new Response(text, { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}

function formatConfig(
  settings: AppSettings,
  connect: readonly string[],
  bridges: readonly string[],
): string {
  const { depositEndpoint, withdrawalEndpoint, relayers, deployments, wallets, walletManifest } = settings;
  const pools = JSON.parse(formatDeployments(deployments));
  const { network } = deployments;
  const connections = { network, depositEndpoint, withdrawalEndpoint, relayers, connect, bridges };
  return `${JSON.stringify({ ...connections, wallets, walletManifest, pools }, null, 2)}\n`;
}

/** Returns the manifest that wallets show. Only localhost may use HTTP: browsers require a secure context. */
function walletManifest({ host, hostname, protocol }: URL, prefix: string): Uint8Array<ArrayBuffer> {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const base = `${isLocal ? protocol : "https:"}//${host}${prefix}`;
  const manifest = { url: base.replace(/\/$/, ""), name: "tonado", iconUrl: `${base}icons/icon-180.png` };
  return new TextEncoder().encode(JSON.stringify(manifest, null, 2) + "\n");
}
