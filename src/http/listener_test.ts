import assert from "node:assert/strict";
import { listen } from "./listener.ts";

const local = { host: "127.0.0.1", port: 0 };

Deno.test("closing does not wait for an idle connection that a client keeps open", async () => {
  const listener = listen(() => new Response("ok"), local);
  const { hostname, port } = new URL(listener.url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  await connection.read(new Uint8Array(1024));
  await listener.close();
  assert.equal(await connection.read(new Uint8Array(1024)), null, "the server has closed the connection");
});

Deno.test("a request under way is answered before the server is closed", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const listener = listen(() => (arrived.resolve(), answer.promise), local);
  const response = fetch(listener.url);
  await arrived.promise;
  const closed = listener.close();
  answer.resolve(new Response("late"));
  assert.equal(await (await response).text(), "late");
  await closed;
});

Deno.test("who asks a server that is ending gets the problem not_ready and when to come again", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const listener = listen(() => (arrived.resolve(), answer.promise), local);
  const response = fetch(listener.url);
  await arrived.promise;
  const closed = listener.close();
  const refused = await fetch(listener.url);
  const { code, status } = await refused.json();
  assert.deepEqual([refused.status, status, code], [503, 503, "not_ready"]);
  assert.equal(refused.headers.get("content-type"), "application/problem+json");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
  answer.resolve(new Response("late"));
  await (await response).body?.cancel();
  await closed;
});
