/**
 * Listens, and stops in good order: requests under way are answered, idle connections are not waited for. A listener that
 * fails, as one without file descriptors does, is opened again. Knows nothing of what the requests mean.
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
  /**
   * Settles when the answer has left, or never will. Of an answer that is no stream: when it was handed over. To be read
   * before anything is waited for: of a request that has ended already it would not settle.
   */
  readonly sent: Promise<void>;
}

/** Answers a request. */
export type Handle = (request: Request, from: Asker) => Response | Promise<Response>;

/** How long requests under way are waited for: a withdrawal may wait 30 s for the wallet's turn. */
const DRAIN_MS = 35_000;

/** How long the last answers have to leave the socket. */
const HAND_OVER_MS = 50;

/** Asks the server only for what is read: each costs a small answer a tenth of its time. */
class SocketAsker implements Asker {
  readonly #info: Deno.ServeHandlerInfo<Deno.NetAddr>;

  constructor(info: Deno.ServeHandlerInfo<Deno.NetAddr>) {
    this.#info = info;
  }

  get peer(): string {
    return this.#info.remoteAddr.hostname;
  }

  get sent(): Promise<void> {
    const { completed } = this.#info;
    completed.catch(() => {}); // broken off: told to whoever waits for it
    return completed;
  }
}

/** Before a listener that failed is opened again: at first, and at most. */
const REOPEN_MS = 100;
const LONGEST_REOPEN_MS = 5_000;
/** A listener that lasted so long failed for a new reason. */
const LASTED_MS = 60_000;

/** One server of the runtime, with the requests that it has under way. */
class Serving {
  readonly #ended = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #underWay = 0;
  #idle = () => {};

  /** @throws what the runtime throws when the address cannot be listened on */
  constructor(handle: Handle, { host, port }: { readonly host: string; readonly port: number }) {
    this.#server = Deno.serve(
      { hostname: host, port, onListen: () => {}, signal: this.#ended.signal },
      (request, info) => {
        const answer = handle(request, new SocketAsker(info));
        if (answer instanceof Response) return answer;
        this.#underWay++;
        return answer.finally(() => {
          this.#underWay--;
          if (this.#underWay === 0) this.#idle();
        });
      },
    );
  }

  get address(): Deno.NetAddr {
    return this.#server.addr;
  }

  /** Resolves when it takes no more connections, with the reason when it failed. */
  get over(): Promise<unknown> {
    return this.#server.finished.catch((error) => error);
  }

  /** Waits for requests under way, and closes every connection. */
  async end(): Promise<void> {
    // Not server.shutdown(): before Deno 2.5 that waits minutes for idle connections.
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, DRAIN_MS);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await new Promise((resolve) => setTimeout(resolve, HAND_OVER_MS));
    this.#ended.abort();
    await this.over;
  }
}

/**
 * Starts to serve `handle`.
 *
 * @param options.port 0: any free one
 * @param options.failed is told whenever the listener fails, or cannot be opened again yet; default: nobody
 */
export function listen(
  handle: Handle,
  options: { readonly host: string; readonly port: number; readonly failed?: (error: unknown) => void },
): Listener {
  const { host, failed = () => {} } = options;
  const closing = new AbortController();
  const answer: Handle = (request, from) =>
    closing.signal.aborted
      ? notReadyResponse("This relayer is ending", { connection: "close" })
      : handle(request, from);
  let serving = new Serving(answer, options);
  /** Failed ones whose requests are still under way. */
  const ending = new Set<Promise<void>>();
  const { hostname, port } = serving.address;

  async function keepOpen(): Promise<void> {
    let wait = REOPEN_MS;
    for (;;) {
      const opened = performance.now();
      const error = await serving.over;
      if (closing.signal.aborted) return;
      failed(error);
      if (performance.now() - opened > LASTED_MS) wait = REOPEN_MS;
      const ended = serving.end().finally(() => ending.delete(ended)); // its connections hold descriptors
      ending.add(ended);
      do {
        await pause(wait, closing.signal);
        if (closing.signal.aborted) return;
        wait = Math.min(2 * wait, LONGEST_REOPEN_MS);
      } while (!reopened());
    }
  }

  function reopened(): boolean {
    try {
      serving = new Serving(answer, { host, port });
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  }
  const running = keepOpen();

  return {
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
    async close() {
      closing.abort();
      await Promise.all([serving.end(), running, ...ending]);
    },
  };
}

/** Resolves after `ms`, or when `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
