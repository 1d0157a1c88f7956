import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { pollUntil } from "../core/time/deadline.ts";
import { type ArtifactCache, openArtifacts } from "./artifacts.ts";
import { circuitFilesLoader } from "./circuit_files.ts";

const NAME = "withdraw.vkey.json";
const committed = new URL("../../artifacts/", import.meta.url);

function serveArtifacts(answer?: () => Response) {
  const requests: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async ({ url }) => {
    const name = new URL(url).pathname.slice(1);
    requests.push(name);
    if (answer) return answer();
    const bytes = await Deno.readFile(new URL(name, committed));
    const half = bytes.length >> 1;
    const body = ReadableStream.from([bytes.subarray(0, half), bytes.subarray(half)]);
    return new Response(body, { headers: { "content-length": String(bytes.length) } });
  });
  return {
    base: new URL(`http://127.0.0.1:${server.addr.port}/`),
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function memoryCache(): ArtifactCache & { readonly files: Map<string, Uint8Array<ArrayBuffer>> } {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    files,
    read: (sha256) => Promise.resolve(files.get(sha256)),
    write: (sha256, bytes) => Promise.resolve(void files.set(sha256, bytes)),
  };
}

Deno.test("an artifact is fetched once, with its progress in bytes, and then read from the cache", async () => {
  await using server = serveArtifacts();
  const cache = memoryCache();
  const seen: { name: string; received: number; total: number | undefined }[] = [];
  const artifacts = openArtifacts(server.base, undefined, {
    cache,
    onProgress: (progress) => seen.push(progress),
  });
  const bytes = await artifacts.load(NAME);
  deepEqual(await artifacts.load(NAME), bytes);
  deepEqual(server.requests, [NAME]);
  ok(seen.every(({ name, total }) => name === NAME && total === bytes.length));
  equal(seen.at(-1)!.received, bytes.length);
  deepEqual([...cache.files.keys()], [artifacts.expectedSha256(NAME)]);
});

Deno.test("a cached file that was altered is fetched again, and a failing cache is ignored", async () => {
  await using server = serveArtifacts();
  const cache = memoryCache();
  const artifacts = openArtifacts(server.base, undefined, { cache });
  const bytes = await artifacts.load(NAME);
  cache.files.set(artifacts.expectedSha256(NAME), bytes.map((byte, i) => i === 9 ? byte ^ 1 : byte));
  deepEqual(await artifacts.load(NAME), bytes);
  deepEqual(cache.files.get(artifacts.expectedSha256(NAME)), bytes);
  equal(server.requests.length, 2);
  const broken = {
    read: () => Promise.reject(new Error("denied")),
    write: () => Promise.reject(new Error("full")),
  };
  deepEqual(await openArtifacts(server.base, undefined, { cache: broken }).load(NAME), bytes);
});

Deno.test("a failed download is artifact_unavailable; a wrong file is artifact_corrupted and never cached", async () => {
  const cache = memoryCache();
  const load = async (answer: () => Response, signal?: AbortSignal) => {
    await using server = serveArtifacts(answer);
    return await openArtifacts(server.base, undefined, { cache }).load(NAME, signal && { signal });
  };
  await rejects(load(() => new Response("missing", { status: 404 })), { code: "artifact_unavailable" });
  const html = { headers: { "content-type": "text/html" } };
  await rejects(load(() => new Response("<!doctype html>", html)), { code: "artifact_unavailable" });
  await rejects(load(() => new Response("{}")), { code: "artifact_corrupted" });
  await rejects(load(() => new Response("{}"), AbortSignal.abort()), { code: "cancelled" });
  const closed = new URL("http://127.0.0.1:1/");
  await rejects(openArtifacts(closed, undefined, { cache }).load(NAME), { code: "artifact_unavailable" });
  equal(cache.files.size, 0);
});

const noKey = () => Promise.reject(new Error("no key was loaded"));

Deno.test("a missing file ends the download of the other one, and the next proof loads both again", async () => {
  const requests: string[] = [];
  let ended = 0;
  const stop = new AbortController();
  const { addr, finished } = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} },
    ({ url }) => {
      requests.push(new URL(url).pathname);
      if (url.endsWith(".wasm")) return new Response("", { status: 404 });
      return new Response(new ReadableStream({ cancel: () => void ended++ })); // never complete
    },
  );
  try {
    const load = circuitFilesLoader(openArtifacts(new URL(`http://127.0.0.1:${addr.port}/`)), noKey);
    for (const attempt of [1, 2]) {
      await rejects(load("settle16"), { code: "artifact_unavailable" });
      const keys = () => requests.filter((path) => path === "/settle16.zkey").length;
      ok(await pollUntil(() => ended === keys(), { intervalMs: 10, timeoutMs: 5_000 }));
      equal(requests.filter((path) => path === "/settle16.wasm").length, attempt);
    }
  } finally {
    stop.abort();
    await finished;
  }
});
