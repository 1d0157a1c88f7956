/**
 * A minimal HTTP/1.1 server for faults that the runtime's server cannot produce: it can close a connection before or
 * in the middle of an answer.
 */

export interface RawRequest {
  readonly path: string;
  readonly body: string;
}

/** An answer; undefined closes the connection without one. */
export interface RawResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Closes the connection after this many bytes of the body. */
  readonly truncateAt?: number;
}

interface RawHttpServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves requests on a free port of the loopback interface. Connections are kept alive. */
export function serveRawHttp(
  answer: (request: RawRequest) => Promise<RawResponse | undefined>,
): RawHttpServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const running = new Set<Promise<void>>();

  function close(connection: Deno.Conn): void {
    if (!connections.delete(connection)) return;
    try {
      connection.close();
    } catch {
      // closed by the peer
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
      // the client has disconnected
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

/** Returns whether the connection can be reused. */
async function write(connection: Deno.Conn, { status, headers = {}, body, truncateAt: cutAt }: RawResponse) {
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
  #buffered = new Uint8Array();

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  async next(): Promise<RawRequest | undefined> {
    let end: number;
    while ((end = findHeaderEnd(this.#buffered)) < 0) if (!await this.#read()) return undefined;
    const head = new TextDecoder().decode(this.#buffered.subarray(0, end));
    const length = Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0);
    while (this.#buffered.length < end + length) if (!await this.#read()) return undefined;
    const body = new TextDecoder().decode(this.#buffered.subarray(end, end + length));
    this.#buffered = this.#buffered.slice(end + length);
    return { path: head.split(" ", 2)[1] ?? "/", body };
  }

  async #read(): Promise<boolean> {
    const chunk = new Uint8Array(16_384);
    const count = await this.#connection.read(chunk);
    if (count === null) return false;
    const both = new Uint8Array(this.#buffered.length + count);
    both.set(this.#buffered);
    both.set(chunk.subarray(0, count), this.#buffered.length);
    this.#buffered = both;
    return true;
  }
}

/** Returns the index after the empty line; -1 if it has not arrived. */
function findHeaderEnd(bytes: Uint8Array): number {
  for (let i = 3; i < bytes.length; i++) {
    if (bytes[i] === 10 && bytes[i - 1] === 13 && bytes[i - 2] === 10 && bytes[i - 3] === 13) return i + 1;
  }
  return -1;
}
