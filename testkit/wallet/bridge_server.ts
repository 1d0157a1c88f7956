/**
 * An HTTP bridge of TON Connect: it passes encrypted messages between sessions, and stores those for absent
 * ones. Heartbeats are those of ton-connect/bridge (internal/v1/handler).
 */

export interface BridgeServer {
  /** The URL, such as `http://127.0.0.1:5000/bridge`. */
  readonly url: string;
  /** The number of next requests for events that get an error, as from a bridge that restarts. */
  outages: number;
  /** The queries of all requests for events so far. */
  readonly queries: readonly URLSearchParams[];
  /** Leaves the open streams of a session open and silent, like connections whose other end is gone. */
  silence(client: string): void;
  close(): Promise<void>;
}

interface Event {
  readonly id: number;
  readonly data: string;
}

interface Mailbox {
  readonly events: Event[];
  readonly listeners: Set<(event: Event) => void>;
}

const HEARTBEAT_MS = 10_000;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "GET, POST",
};

/** Listens on any free port. */
export function startBridge(): BridgeServer {
  const mailboxes = new Map<string, Mailbox>();
  const ending = new AbortController();
  const queries: URLSearchParams[] = [];
  let lastId = 0;
  const mailboxOf = (client: string) => {
    const known = mailboxes.get(client);
    if (known) return known;
    const made: Mailbox = { events: [], listeners: new Set() };
    mailboxes.set(client, made);
    return made;
  };
  const deliver = async (request: Request, from: string, to: string) => {
    const event = { id: ++lastId, data: JSON.stringify({ from, message: await request.text() }) };
    const { events, listeners } = mailboxOf(to);
    events.push(event);
    for (const listener of listeners) listener(event);
    return Response.json({ message: "OK", statusCode: 200 }, { headers: CORS });
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: ending.signal },
    (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const client = searchParams.get("client_id");
      if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
      if (client && request.method === "POST" && pathname === "/bridge/message") {
        return deliver(request, client, searchParams.get("to") ?? "");
      }
      if (!client || pathname !== "/bridge/events") {
        return new Response("not found", { status: 404, headers: CORS });
      }
      if (bridge.outages > 0) {
        bridge.outages--;
        return new Response("restarting", { status: 503, headers: CORS });
      }
      queries.push(searchParams);
      const after = Number(request.headers.get("last-event-id") ?? searchParams.get("last_event_id") ?? 0);
      const heartbeat = searchParams.get("heartbeat") === "message"
        ? "event: message\r\ndata: heartbeat\r\n\r\n"
        : "event: heartbeat\n\n";
      return new Response(eventStream(mailboxOf(client), after, heartbeat), {
        headers: { ...CORS, "content-type": "text/event-stream", "cache-control": "no-store" },
      });
    },
  );
  const bridge: BridgeServer = {
    url: `http://127.0.0.1:${server.addr.port}/bridge`,
    outages: 0,
    queries,
    silence: (client) => mailboxOf(client).listeners.clear(),
    async close() {
      ending.abort();
      await server.finished;
    },
  };
  return bridge;
}

function eventStream(
  { events, listeners }: Mailbox,
  after: number,
  heartbeat: string,
): ReadableStream<Uint8Array> {
  let send: (event: Event) => void;
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(controller) {
      send = ({ id, data }) => controller.enqueue(encode(`event: message\nid: ${id}\ndata: ${data}\n\n`));
      controller.enqueue(encode("\n"));
      for (const event of events.filter(({ id }) => id > after)) send(event);
      listeners.add(send);
      const beat = () => listeners.has(send) && controller.enqueue(encode(heartbeat));
      timer = setInterval(beat, HEARTBEAT_MS);
    },
    cancel() {
      clearInterval(timer);
      listeners.delete(send);
    },
  });
}

const encode = (text: string) => new TextEncoder().encode(text);
