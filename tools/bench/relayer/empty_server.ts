/**
 * A Hono server with constant answers, to measure the runtime: `empty_server.ts <port> <bytes of the large answer>`
 */
import { Hono } from "hono";
import { streamBytes } from "../../../src/http/responses/response_backpressure.ts";
import { serveProbe } from "./probe_server.ts";

serveProbe();
const [port, bytes] = Deno.args.map(Number);
const large = new Uint8Array(bytes).fill(0x20);
const app = new Hono();
app.get("/", (c) => c.json({ ok: true }));
app.post("/", async (c) => c.json({ ok: typeof await c.req.json() === "object" }));
app.get("/large", (c) => c.body(streamBytes(large)));
Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, app.fetch);
