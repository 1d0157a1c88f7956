/**
 * Listens, and stops in good order: requests under way are answered, idle connections are not waited for. Knows nothing
 * of what the requests mean.
 */

import { notReadyResponse } from "./problem_response.ts";

/** A listening server. */
export interface Listener {
  /** Base URL. */
  readonly url: string;
  /** Takes no more requests (503), waits for those under way, and closes every connection. */
  close(): Promise<void>;
}

/** What a listener knows of a request beside the request. */
export interface Asker {
  /** Address of the socket's other end. */
  readonly peer: string;
  /** Settles when the answer has left, or never will. Of an answer that is no stream: when it was handed over. */
  readonly sent: Promise<void>;
}

/** Answers a request. */
export type Handle = (request: Request, from: Asker) => Response | Promise<Response>;

/** How long requests under way are waited for: a withdrawal may wait 30 s for the wallet's turn. */
const DRAIN_MS = 35_000;

/** How long the last answers have to leave the socket. */
const HAND_OVER_MS = 50;

/** Starts to serve `handle`. @param options.port 0: any free one */
export function listen(
  handle: Handle,
  options: { readonly host: string; readonly port: number },
): Listener {
  const ended = new AbortController();
  let underWay = 0;
  let closing = false;
  let idle = () => {};
  const server = Deno.serve(
    { hostname: options.host, port: options.port, onListen: () => {}, signal: ended.signal },
    async (request, { remoteAddr, completed }) => {
      if (closing) {
        return notReadyResponse("This relayer is ending", { connection: "close" });
      }
      underWay++;
      try {
        completed.catch(() => {}); // broken off: told to whoever waits for it
        return await handle(request, { peer: remoteAddr.hostname, sent: completed });
      } finally {
        underWay--;
        if (underWay === 0) idle();
      }
    },
  );
  const { hostname, port } = server.addr;
  return {
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    // Not server.shutdown(): before Deno 2.5 that waits minutes for idle connections.
    async close() {
      closing = true;
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, DRAIN_MS);
          idle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      await new Promise((resolve) => setTimeout(resolve, HAND_OVER_MS));
      ended.abort();
      await server.finished;
    },
  };
}
