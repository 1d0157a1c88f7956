/**
 * Answers whose size is worth counting: who asks for them and does not read must neither fill the memory nor hold the
 * places of everybody else. Knows nothing of what the answers say.
 */
import type { MiddlewareHandler } from "hono";
import { Problem } from "../core/errors.ts";
import type { HttpEnv } from "./deps.ts";

/** Large answers at once: far fewer than requests, so that readers who stall leave the rest of the API alone. */
const MOST = 200;
/** How long nothing of an answer may be read. */
const PATIENCE_MS = 30_000;
/** Bytes that the server takes at a time: what one who does not read costs, beside the socket's buffers. */
const PIECE = 128 * 1024;

/**
 * Refuses with `overloaded` what would be one large answer too many, and counts each until it was sent, given up or
 * broken off.
 */
export function largeAnswers(
  most: number = MOST,
  patienceMs: number = PATIENCE_MS,
): MiddlewareHandler<HttpEnv> {
  let underWay = 0;
  return async (c, next) => {
    if (underWay >= most) throw new Problem("overloaded");
    const sent = c.env?.sent;
    underWay++;
    let held = false;
    try {
      await next();
      const body = c.res.body;
      if (sent === undefined || body === null) return;
      held = true;
      const [pieces, gone] = inPieces(body, sent, patienceMs);
      gone.then(() => underWay--);
      c.res = new Response(pieces, c.res);
    } finally {
      if (!held) underWay--;
    }
  };
}

/** A body of bytes that all requests share; a response made of the bytes themselves would copy them. */
export function sharedBody(
  ...bytes: readonly Uint8Array<ArrayBuffer>[]
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const piece of bytes) controller.enqueue(piece);
      controller.close();
    },
  });
}

/** The body in pieces, each made when the server asks for it; and when nothing of it is held any more. */
function inPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  sent: Promise<void>,
  patienceMs: number,
): [ReadableStream<Uint8Array<ArrayBuffer>>, Promise<void>] {
  const gone = Promise.withResolvers<void>();
  const reader = body.getReader();
  let rest: Uint8Array<ArrayBuffer> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    rest = undefined;
    reader.cancel().catch(() => {}); // it may have failed: then nothing is held
    gone.resolve();
  };
  sent.then(end, end);
  const awaitReader = (controller: ReadableStreamDefaultController) => {
    timer = setTimeout(() => {
      controller.error(new Problem("request_timeout", "nothing of the answer was read"));
      end();
    }, patienceMs);
  };
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: awaitReader,
    async pull(controller) {
      clearTimeout(timer);
      while (rest === undefined || rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        rest = value;
      }
      controller.enqueue(rest.subarray(0, PIECE));
      rest = rest.subarray(PIECE);
      awaitReader(controller);
    },
    cancel: end,
  }, { highWaterMark: 0 });
  return [pieces, gone.promise];
}
