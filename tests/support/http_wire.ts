/**
 * HTTP/1.1 by hand, as far as a fault needs it: a server that may close a connection before it answers, in the middle of
 * an answer, or send half of one. The runtime's own server would never do that.
 */

/** A request as it came. */
export interface WireRequest {
  readonly path: string;
  readonly body: string;
}

/** What is sent back; undefined: nothing, the connection is closed. */
export interface WireAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Closes the connection when so many bytes of the body are sent, whatever the header promises. */
  readonly cutAt?: number;
}

/** A running server. */
export interface WireServer extends AsyncDisposable {
  readonly port: number;
}

/** Answers every request on a free port of the loopback interface; connections are kept alive. */
export function serveWire(answer: (request: WireRequest) => Promise<WireAnswer | undefined>): WireServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const running = new Set<Promise<void>>();

  function close(connection: Deno.Conn): void {
    if (!connections.delete(connection)) return;
    try {
      connection.close();
    } catch {
      // closed by its other end
    }
  }

  async function serve(connection: Deno.Conn): Promise<void> {
    try {
      const reader = new RequestReader(connection);
      for (let request = await reader.next(); request; request = await reader.next()) {
        const given = await answer(request);
        if (!given || !await write(connection, given)) return;
      }
    } catch {
      // whoever asked is gone
    } finally {
      close(connection);
    }
  }

  const accepting = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      const served = serve(connection).finally(() => running.delete(served));
      running.add(served);
    }
  })().catch(() => {}); // the listener was closed
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of [...connections]) close(connection);
      await accepting;
      await Promise.allSettled([...running]);
    },
  };
}

/** @returns whether the connection may be used again */
async function write(connection: Deno.Conn, { status, headers = {}, body, cutAt }: WireAnswer) {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(body);
  const lines = Object.entries({
    "content-type": "application/json",
    ...headers,
    "content-length": String(bytes.length),
  })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const head = encoder.encode(`HTTP/1.1 ${status} Answer\r\n${lines.join("")}\r\n`);
  for (const part of [head, bytes.subarray(0, cutAt)]) {
    for (let rest = part; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
  }
  return cutAt === undefined;
}

class RequestReader {
  readonly #connection: Deno.Conn;
  #held = new Uint8Array();

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async next(): Promise<WireRequest | undefined> {
    let end: number;
    while ((end = endOfHead(this.#held)) < 0) if (!await this.#read()) return undefined;
    const head = new TextDecoder().decode(this.#held.subarray(0, end));
    const length = Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0);
    while (this.#held.length < end + length) if (!await this.#read()) return undefined;
    const body = new TextDecoder().decode(this.#held.subarray(end, end + length));
    this.#held = this.#held.slice(end + length);
    return { path: head.split(" ", 2)[1] ?? "/", body };
  }

  async #read(): Promise<boolean> {
    const chunk = new Uint8Array(16_384);
    const count = await this.#connection.read(chunk);
    if (count === null) return false;
    const both = new Uint8Array(this.#held.length + count);
    both.set(this.#held);
    both.set(chunk.subarray(0, count), this.#held.length);
    this.#held = both;
    return true;
  }
}

/** Index after the empty line; -1 while it has not come. */
function endOfHead(bytes: Uint8Array): number {
  for (let i = 3; i < bytes.length; i++) {
    if (bytes[i] === 10 && bytes[i - 1] === 13 && bytes[i - 2] === 10 && bytes[i - 3] === 13) return i + 1;
  }
  return -1;
}
