/** The version of the app that a server offers: its manifest of hashes and its settings. */
import { type AppVersion, LIVE_QUERY } from "./protocol.ts";
import { sha256Hex } from "../browser/hex_digest.ts";

export const CONFIG = "config.json";

export interface LiveVersion {
  /** The hash of the files, and that of the settings after a dash. */
  readonly id: string;
  readonly version: AppVersion;
  readonly config: string;
}

/** Excludes keys, which are large and have their own cache, and checksums, which only people read. */
export function isPrecached(path: string): boolean {
  return !path.startsWith("artifacts/") && path !== "SHA256SUMS" && path !== "version.json" &&
    path !== CONFIG;
}

/** Fetches the version that the server offers. Its hash is computed from the manifest, not read from it. */
export async function fetchVersion(base: URL): Promise<LiveVersion> {
  const [versionText, config] = await Promise.all([fetchText(base, "version.json"), fetchText(base, CONFIG)]);
  const version = JSON.parse(versionText) as AppVersion;
  const names = Object.keys(version.files).sort((a, b) => a < b ? -1 : 1);
  const sums = names.map((name) => `${version.files[name].sha256}  ${name}\n`).join("");
  const [hash, configHash] = await Promise.all(
    [sums, config].map((text) => sha256Hex(new TextEncoder().encode(text))),
  );
  return { id: `${hash}-${configHash}`, version: { ...version, hash }, config };
}

async function fetchText(base: URL, name: string): Promise<string> {
  const response = await fetch(new URL(name + LIVE_QUERY, base), { cache: "no-store" });
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return await response.text();
}
