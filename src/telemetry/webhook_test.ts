import { deepEqual, equal, ok } from "node:assert/strict";
import { Secret } from "../core/text/secret.ts";
import { configureLog } from "./log.ts";
import { postAlert } from "./webhook.ts";

async function postTo(answers: (() => Response)[]) {
  const bodies: unknown[] = [];
  const waited: number[] = [];
  const lines: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    bodies.push(await request.json());
    return answers[Math.min(bodies.length, answers.length) - 1]();
  });
  const log = configureLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const url = `http://127.0.0.1:${server.addr.port}/hook?key=hunter2`;
  const sleep = (ms: number) => (waited.push(ms), Promise.resolve());
  await postAlert(
    { event: "balance_low" },
    { url: new Secret(url), log, sleep },
    new AbortController().signal,
  );
  await server.shutdown();
  return { bodies, waited, log: lines.join("") };
}
const answer = (status: number, headers: HeadersInit = {}) => () => new Response(null, { status, headers });

Deno.test("an alert is posted once as JSON", async () => {
  const { bodies, waited, log } = await postTo([answer(204)]);
  deepEqual([bodies, waited, log], [[{ event: "balance_low" }], [], ""]);
});

Deno.test("temporary failures are retried with growing delays", async () => {
  const { bodies, waited } = await postTo([answer(500), answer(429), answer(200)]);
  deepEqual([bodies.length, waited], [3, [1_000, 2_000]]);
});

Deno.test("webhook: it fails after five attempts, and the log does not contain the URL", async () => {
  const { bodies, log } = await postTo([answer(503)]);
  equal(bodies.length, 5);
  ok(log.includes("it responded with status 503") && !log.includes("hunter2") && !log.includes("/hook"), log);
});

Deno.test("a refusal is not repeated, and a redirection not followed", async () => {
  equal((await postTo([answer(404)])).bodies.length, 1);
  const { log } = await postTo([answer(302, { location: "http://127.0.0.1:9/elsewhere" })]);
  ok(!log.includes("hunter2"));
});
