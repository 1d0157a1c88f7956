/** The end of a request: the server handles no part of a body as a request, for any headers. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { listen } from "../../src/http/listener.ts";
import { withApiAndApp } from "./api_harness.ts";

const TIMEOUT_MS = 300_000;
const BODY = JSON.stringify({ pool: `0:${"ab".repeat(32)}`, commitment: "0x01" });
/** A request that the server must not answer if it is part of a body. */
const HIDDEN = "GET /pools HTTP/1.1\r\nhost: x\r\n\r\n";
const OF_HIDDEN = "deployedSeqno";
/** The last request on every connection: the server then closes it. */
const LAST = "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

function posted(headers: readonly string[], body: string): string {
  return ["POST /note/check HTTP/1.1", "host: x", "content-type: application/json", ...headers, "", body]
    .join("\r\n");
}
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const inChunks = `${chunk(BODY)}0\r\n\r\n`;
const told = (length: number) => `content-length: ${length}`;
const CHUNKED = "transfer-encoding: chunked";

/** A client's end of a connection to its own server. Every wait has a timeout. */
class Client {
  readonly #connection: Deno.Conn;
  #text = "";

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async send(text: string): Promise<void> {
    await this.#connection.write(new TextEncoder().encode(text)).catch(() => {}); // it may be closed already
  }

  /** Reads the next response to its end, and returns its status. */
  async answer(): Promise<number> {
    for (;;) {
      const [, status, length] = /^HTTP\/1\.1 (\d+) [^]*?content-length: (\d+)\r\n[^]*?\r\n\r\n/i
        .exec(this.#text) ?? [];
      const end = this.#text.indexOf("\r\n\r\n") + 4 + Number(length);
      if (status !== undefined && this.#text.length >= end) {
        this.#text = this.#text.slice(end);
        return Number(status);
      }
      ok(await this.#read(), `closed within an answer: ${this.#text}`);
    }
  }

  /** Returns all bytes until the server closes the connection. */
  async rest(): Promise<string> {
    while (await this.#read());
    return this.#text;
  }

  async #read(): Promise<boolean> {
    const bytes = new Uint8Array(65_536);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`nothing came any more after ${this.#text}`)),
      TIMEOUT_MS,
    );
    try {
      const count = await Promise.race([this.#connection.read(bytes), late.promise]);
      this.#text += new TextDecoder().decode(bytes.subarray(0, count ?? 0));
      return count !== null;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return false; // closed before everything was read
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function withClient(act: (client: Client) => Promise<void>, bodyPatienceMs?: number): Promise<void> {
  await withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const { hostname, port } = new URL(listener.url);
    using connection = await Deno.connect({ hostname, port: Number(port) });
    try {
      await act(new Client(connection));
    } finally {
      await listener.close();
    }
  }, bodyPatienceMs === undefined ? {} : { bodyTimeoutMs: bodyPatienceMs });
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** The expected status is 503 if the request is well-formed, because the pool is not ready. */
const cases: readonly (readonly [what: string, request: string, answers: readonly number[]])[] = [
  ["of its declared length", posted([told(BODY.length)], BODY), [503, 200]],
  ["whose length is declared twice", posted([told(BODY.length), told(BODY.length)], BODY), [503, 200]],
  [
    "longer than declared, by bytes that are not a request",
    posted([told(BODY.length)], `${BODY}}} x\r\n\r\n`),
    [
      503,
      400,
    ],
  ],
  ["declared shorter than its value", posted([told(BODY.length - 10)], BODY), [400, 400]],
  [
    "shorter than declared, up to a request behind it",
    posted([told((BODY + HIDDEN).length)], BODY + HIDDEN),
    [
      400,
      200,
    ],
  ],
  ["with two lengths", posted([told(BODY.length), told(0)], BODY + HIDDEN), [400]],
  ["with a list of lengths", posted([`content-length: ${BODY.length}, 0`], BODY + HIDDEN), [400]],
  ["with a signed length", posted([`content-length: +${BODY.length}`], BODY + HIDDEN), [400]],
  ["with a negative length", posted([told(-1)], BODY + HIDDEN), [400]],
  ["with another coding", posted([told(BODY.length), "transfer-encoding: xchunked"], BODY + HIDDEN), [400]],
  ["chunked first, then not", posted(["transfer-encoding: chunked, identity"], inChunks + HIDDEN), [400]],
  [
    "chunked by a name with a space",
    posted([told(BODY.length), "transfer-encoding : chunked"], BODY + HIDDEN),
    [400],
  ],
  [
    "chunked on a folded line",
    posted([told(BODY.length), "transfer-encoding:\r\n chunked"], BODY + HIDDEN),
    [400],
  ],
];
for (const [what, request, answers] of cases) {
  Deno.test(`no part of a body ${what} is handled as a request`, () =>
    withClient(async (client) => {
      await client.send(request + LAST);
      const text = await client.rest();
      deepEqual(statuses(text), answers, text);
      ok(!text.includes(OF_HIDDEN), text);
    }));
}

/** The length is ambiguous: the runtime refuses the request, or reads the chunks and answers nothing more. */
const both: readonly (readonly [what: string, request: string])[] = [
  ["all of it", posted([told(inChunks.length), CHUNKED], inChunks + HIDDEN)],
  ["more", posted([told((inChunks + HIDDEN).length), CHUNKED], inChunks + HIDDEN)],
  ["nothing, before the chunks", posted([told(0), CHUNKED], `${chunk(HIDDEN)}0\r\n\r\n`)],
  ["some bytes, after the coding", posted([CHUNKED, told(4)], inChunks + HIDDEN)],
  [
    "none, to a fast response",
    `GET /status HTTP/1.1\r\nhost: x\r\n${told(0)}\r\n${CHUNKED}\r\n\r\n0\r\n\r\n${HIDDEN}`,
  ],
];
for (const [what, request] of both) {
  Deno.test(`a chunked body with a Content-Length of ${what} is the last request of its connection`, () =>
    withClient(async (client) => {
      await client.send(request + LAST);
      const text = await client.rest();
      equal(statuses(text).length, 1, text);
      ok([200, 400, 503].includes(statuses(text)[0]), text);
      ok(!text.includes(OF_HIDDEN), text);
    }));
}

Deno.test("malformed chunks are refused, or the connection is closed", () =>
  withClient(async (client) => {
    await client.send(posted([CHUNKED], `zz\r\n${HIDDEN}0\r\n\r\n`) + LAST);
    const text = await client.rest();
    ok(statuses(text).every((status) => status === 400) && statuses(text).length <= 1, text);
  }));

Deno.test("bytes after a body's timeout still belong to that body", () =>
  withClient(async (client) => {
    await client.send(posted([told((BODY + HIDDEN).length)], BODY));
    equal(await client.answer(), 408);
    await client.send(HIDDEN + LAST);
    const text = await client.rest();
    ok(!text.includes(OF_HIDDEN), text);
    ok(statuses(text).every((status) => status === 200) && statuses(text).length <= 1, text);
  }, 50));

Deno.test("bytes after a body that is too long still belong to that body", () =>
  withClient(async (client) => {
    const rest = HIDDEN.padEnd(40_000, "\n");
    await client.send(posted([told(rest.length)], ""));
    equal(await client.answer(), 413);
    await client.send(rest + LAST);
    const text = await client.rest();
    ok(!text.includes(OF_HIDDEN), text);
    ok(statuses(text).every((status) => status === 200) && statuses(text).length <= 1, text);
  }));
