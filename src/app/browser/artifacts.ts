/// <reference lib="dom" />
/** Fetches the files that proofs need, reports progress in bytes, and caches files that match their hash. */
import { Problem } from "../../core/errors/problem.ts";
import type { ArtifactProgress } from "../ports.ts";
import { cancelled } from "../../core/time/deadline.ts";
import type { ArtifactReadOptions } from "../../prover/locations.ts";
import { buildFacts } from "./build_facts.ts";
import { sha256Hex } from "./hex_digest.ts";

const CACHE = "tonado-artifacts";

export interface BrowserArtifacts extends ArtifactProgress {
  /** Used as `proverLocations.read`. Throws `artifact_unavailable`, `artifact_corrupted`, `cancelled`. */
  read(file: URL, options?: ArtifactReadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

interface Download {
  received: number;
  readonly total: number;
}

export function browserArtifacts(facts = buildFacts.artifacts): BrowserArtifacts {
  const listeners = new Set<Parameters<ArtifactProgress["subscribe"]>[0]>();
  const downloads = new Set<Download>();
  let inFlight = 0;
  const report = () => {
    let [received, total] = [0, 0];
    for (const each of downloads) [received, total] = [received + each.received, total + each.total];
    for (const listener of listeners) listener({ received, total });
  };
  const download = async (
    file: URL,
    expected: { readonly bytes: number } | undefined,
    signal: AbortSignal | undefined,
  ) => {
    const progress: Download = { received: 0, total: expected?.bytes ?? 0 };
    downloads.add(progress);
    inFlight++;
    report(); // a slow server is not mistaken for a slow proof
    try {
      return await fetchWhole(file, { size: expected?.bytes, signal }, (received) => {
        progress.received = received;
        report();
      });
    } finally {
      // Totals stay while other files are in flight, so that the fraction never decreases.
      if (--inFlight === 0) downloads.clear();
    }
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async read(file, { signal } = {}) {
      const expected = facts[file.pathname.slice(file.pathname.lastIndexOf("/") + 1)];
      const cached = expected && await readCached(file, expected.sha256);
      if (cached) return cached;
      const bytes = await download(file, expected, signal);
      if (expected && await sha256Hex(bytes) !== expected.sha256) {
        throw new Problem("artifact_corrupted", `${file} does not match its pin`);
      }
      if (expected) await writeCached(file, bytes);
      return bytes;
    },
  };
}

/** Returns undefined for a missing or altered file, and deletes an altered one. */
async function readCached(file: URL, sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const cache = await caches.open(CACHE);
    const found = await cache.match(file.href);
    if (!found) return undefined;
    const bytes = new Uint8Array(await found.arrayBuffer());
    if (await sha256Hex(bytes) === sha256) return bytes;
    await cache.delete(file.href);
  } catch { /* storage is denied: fetch it */ }
  return undefined;
}

async function writeCached(file: URL, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const cache = await caches.open(CACHE);
    await cache.put(
      file.href,
      new Response(bytes, { headers: { "content-type": "application/octet-stream" } }),
    );
  } catch { /* storage is full or denied: the next visit fetches it again */ }
}

async function fetchWhole(
  file: URL,
  { size, signal }: { readonly size: number | undefined; readonly signal: AbortSignal | undefined },
  onProgress: (received: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const unavailable = (reason: string) =>
    new Problem("artifact_unavailable", `${file} cannot be fetched: ${reason}`);
  const lost = (reason: string) => signal?.aborted ? cancelled(signal) : unavailable(reason);
  const response = await fetch(file, { credentials: "omit", ...signal && { signal } }).catch(() => {
    throw lost("the request failed");
  });
  if (!response.ok || !response.body) throw unavailable(`the server answered with status ${response.status}`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  try {
    for (const reader = response.body.getReader();;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      received += value.length;
      if (size !== undefined && received > size) {
        await reader.cancel();
        throw new Problem("artifact_corrupted", `${file} is larger than its pin allows`);
      }
      onProgress(received);
    }
  } catch (error) {
    throw error instanceof Problem ? error : lost("the connection was lost");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
