/**
 * An HTTP bridge of TON Connect: it passes encrypted messages between sessions, and stores those for absent
 * ones. Paths, parameters and heartbeats are those of ton-connect/bridge (internal/v1/handler).
 */
import { systemClock } from "../../core/time/clock.ts";

const HEARTBEAT_MS = 10_000;
const MAX_MESSAGES = 1_000; // of a session; older ones are dropped
const MAX_MESSAGE_CHARS = 1_000_000;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "GET, POST",
};

interface Event {
  readonly id: number;
  readonly data: string;
}

interface Mailbox {
  readonly events: Event[];
  readonly listeners: Set<(event: Event) => void>;
}

export class WalletBridge {
  readonly #mailboxes = new Map<string, Mailbox>();
  #lastId = 0;

  /** Answers `POST .../message` and `GET .../events`. */
  async respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const client = searchParams.get("client_id");
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
    if (client && request.method === "POST" && pathname.endsWith("/message")) {
      return await this.#deliver(request, client, searchParams.get("to") ?? "");
    }
    if (!client || request.method !== "GET" || !pathname.endsWith("/events")) {
      return new Response("not found", { status: 404, headers: CORS });
    }
    const after = Number(request.headers.get("last-event-id") ?? searchParams.get("last_event_id") ?? 0);
    const heartbeat = searchParams.get("heartbeat") === "message"
      ? "event: message\r\ndata: heartbeat\r\n\r\n"
      : "event: heartbeat\n\n";
    return new Response(eventStream(this.#mailboxOf(client), after, heartbeat), {
      headers: { ...CORS, "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  /** Leaves the open streams of a session open and silent, like connections whose other end is gone. */
  silence(client: string): void {
    this.#mailboxOf(client).listeners.clear();
  }

  async #deliver(request: Request, from: string, to: string): Promise<Response> {
    const message = await request.text();
    if (message.length > MAX_MESSAGE_CHARS) return new Response("too large", { status: 413, headers: CORS });
    const event = { id: ++this.#lastId, data: JSON.stringify({ from, message }) };
    const { events, listeners } = this.#mailboxOf(to);
    events.push(event);
    if (events.length > MAX_MESSAGES) events.shift();
    for (const listener of listeners) listener(event);
    return Response.json({ message: "OK", statusCode: 200 }, { headers: CORS });
  }

  #mailboxOf(client: string): Mailbox {
    const known = this.#mailboxes.get(client);
    if (known) return known;
    const made: Mailbox = { events: [], listeners: new Set() };
    this.#mailboxes.set(client, made);
    return made;
  }
}

function eventStream({ events, listeners }: Mailbox, after: number, heartbeat: string) {
  const end = new AbortController();
  let send: (event: Event) => void;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      send = ({ id, data }) => controller.enqueue(encode(`event: message\nid: ${id}\ndata: ${data}\n\n`));
      controller.enqueue(encode("\n"));
      for (const event of events.filter(({ id }) => id > after)) send(event);
      listeners.add(send);
      const beat = async () => {
        while (!end.signal.aborted) {
          if (listeners.has(send)) controller.enqueue(encode(heartbeat));
          await systemClock.sleep(HEARTBEAT_MS, end.signal);
        }
      };
      beat();
    },
    cancel() {
      end.abort();
      listeners.delete(send);
    },
  });
}

const encode = (text: string) => new TextEncoder().encode(text);
