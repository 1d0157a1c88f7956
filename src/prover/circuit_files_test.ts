import { equal, ok, rejects } from "node:assert/strict";
import { pollUntil } from "../core/time.ts";
import { openArtifacts } from "./artifacts.ts";
import { circuitFilesLoader } from "./circuit_files.ts";

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
