/** Listens for HTTP requests, reopens a listener that fails, and shuts down gracefully. */
import { backoffMs } from "../core/time/backoff.ts";
import { type Clock, monotonicClock, systemClock } from "../core/time/clock.ts";
import { notReadyResponse } from "./responses/problem_response.ts";

export interface Listener {
  readonly url: string;
  /** Responds to new requests with 503, waits for those in progress, and closes every connection. */
  close(): Promise<void>;
}

export interface ConnectionInfo {
  readonly peer: string;
  /** Settles when the response was sent or aborted. Read it while the request is handled: read for the first time later, it never settles. */
  readonly sent: Promise<void>;
}

export type RequestHandler = (request: Request, from: ConnectionInfo) => Response | Promise<Response>;

const DRAIN_TIMEOUT_MS = 35_000; // a withdrawal may wait 30 s for the wallet

const FLUSH_DELAY_MS = 50; // milliseconds to flush the last responses

/** Reads values lazily: each read takes 10% of a small response's time. */
class SocketConnection implements ConnectionInfo {
  constructor(private readonly info: Deno.ServeHandlerInfo<Deno.NetAddr>) {}

  get peer(): string {
    return this.info.remoteAddr.hostname;
  }

  get sent(): Promise<void> {
    const { completed } = this.info;
    completed.catch(() => {}); // an abort rejects `sent`; avoid an unhandled rejection
    return completed;
  }
}

const REOPEN_BACKOFF = { initialMs: 100, maxMs: 5_000 };
const STABLE_UPTIME_MS = 60_000; // the backoff restarts after this uptime

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Called when the listener fails or cannot be reopened. */
  readonly failed?: (error: unknown) => void;
  readonly clock?: Clock;
}

class ServerInstance {
  readonly #ended = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #clock: Clock;
  #inProgress = 0;
  #idle = () => {};

  constructor(handle: RequestHandler, { host, port, clock = systemClock }: ListenOptions) {
    this.#clock = clock;
    this.#server = Deno.serve(
      { hostname: host, port, onListen: () => {}, signal: this.#ended.signal },
      (request, info) => {
        const response = handle(request, new SocketConnection(info));
        if (response instanceof Response) return response;
        this.#inProgress++;
        return response.finally(() => {
          this.#inProgress--;
          if (this.#inProgress === 0) this.#idle();
        });
      },
    );
  }

  get address(): Deno.NetAddr {
    return this.#server.addr;
  }

  get finished(): Promise<unknown> {
    return this.#server.finished.catch((error) => error);
  }

  async drain(): Promise<void> {
    // Not server.shutdown(): before Deno 2.5 it waits minutes for idle connections.
    if (this.#inProgress > 0) {
      const idle = new AbortController();
      this.#idle = () => idle.abort();
      await this.#clock.sleep(DRAIN_TIMEOUT_MS, idle.signal);
    }
    await this.#clock.sleep(FLUSH_DELAY_MS);
    this.#ended.abort();
    await this.finished;
  }
}

/** Port 0 selects a free port. */
export function listen(handle: RequestHandler, options: ListenOptions): Listener {
  const { host, failed = () => {}, clock = systemClock } = options;
  const closing = new AbortController();
  const respond: RequestHandler = (request, from) =>
    closing.signal.aborted
      ? notReadyResponse("This relayer is shutting down", { connection: "close" })
      : handle(request, from);
  let serving = new ServerInstance(respond, options);
  const ending = new Set<Promise<void>>(); // failed instances with requests still in progress
  const { hostname, port } = serving.address;

  async function keepOpen(): Promise<void> {
    let failures = 0;
    for (;;) {
      const opened = monotonicClock.now();
      const error = await serving.finished;
      if (closing.signal.aborted) return;
      failed(error);
      if (monotonicClock.now() - opened > STABLE_UPTIME_MS) failures = 0;
      const ended = serving.drain().finally(() => ending.delete(ended)); // frees its file descriptors
      ending.add(ended);
      do {
        await clock.sleep(backoffMs(++failures, REOPEN_BACKOFF), closing.signal);
        if (closing.signal.aborted) return;
      } while (!reopened());
    }
  }

  function reopened(): boolean {
    try {
      serving = new ServerInstance(respond, { host, port, clock });
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
      await Promise.all([serving.drain(), running, ...ending]);
    },
  };
}
