/** Limits large responses: clients that do not read them must neither fill the memory nor block others. */
import type { MiddlewareHandler } from "hono";
import { Problem } from "../../core/errors/problem.ts";
import { systemClock } from "../../core/time/clock.ts";
import type { HttpEnv } from "../dependencies.ts";

/** Far below the limit of requests, so that stalled readers do not block the rest of the API. */
const MAX_LARGE_RESPONSES = 200;
const READ_TIMEOUT_MS = 30_000;
/** The memory that a stalled reader uses in addition to the socket's buffers. */
const CHUNK_BYTES = 128 * 1024;

/** A slot is free again when the response is sent, timed out or aborted. */
export function limitLargeResponses(
  maxResponses: number = MAX_LARGE_RESPONSES,
  timeoutMs: number = READ_TIMEOUT_MS,
): MiddlewareHandler<HttpEnv> {
  let inProgress = 0;
  return async (c, next) => {
    if (inProgress >= maxResponses) throw new Problem("overloaded");
    const sent = c.env?.sent;
    inProgress++;
    let isStreaming = false;
    try {
      await next();
      const body = c.res.body;
      if (sent === undefined || body === null) return;
      isStreaming = true;
      const [chunks, gone] = chunkBody(body, sent, timeoutMs);
      gone.then(() => inProgress--);
      c.res = new Response(chunks, c.res);
    } finally {
      if (!isStreaming) inProgress--;
    }
  };
}

/** Returns a body of bytes that all requests share; a response made from the bytes would copy them. */
export function streamBytes(
  ...bytes: readonly Uint8Array<ArrayBuffer>[]
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const piece of bytes) controller.enqueue(piece);
      controller.close();
    },
  });
}

function chunkBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  sent: Promise<void>,
  timeoutMs: number,
): [ReadableStream<Uint8Array<ArrayBuffer>>, Promise<void>] {
  const gone = Promise.withResolvers<void>();
  const reader = body.getReader();
  let rest: Uint8Array<ArrayBuffer> | undefined;
  let waiting = new AbortController();
  const end = () => {
    waiting.abort();
    rest = undefined;
    reader.cancel().catch(() => {}); // a failed stream holds nothing
    gone.resolve();
  };
  sent.then(end, end);
  const awaitReader = (controller: ReadableStreamDefaultController) => {
    const { signal } = waiting = new AbortController();
    systemClock.sleep(timeoutMs, signal).then(() => {
      if (signal.aborted) return;
      controller.error(new Problem("request_timeout", "the client did not read the response in time"));
      end();
    });
  };
  const chunks = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: awaitReader,
    async pull(controller) {
      waiting.abort();
      while (rest === undefined || rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        rest = value;
      }
      controller.enqueue(rest.subarray(0, CHUNK_BYTES));
      rest = rest.subarray(CHUNK_BYTES);
      awaitReader(controller);
    },
    cancel: end,
  }, { highWaterMark: 0 });
  return [chunks, gone.promise];
}
