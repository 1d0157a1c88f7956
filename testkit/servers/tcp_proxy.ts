/**
 * A TCP proxy of a server that a test can disconnect or freeze. Disconnecting breaks connections and refuses
 * new ones; freezing stops the data and keeps connections open.
 */
import { freePort } from "../programs/program.ts";

export interface TcpProxy extends AsyncDisposable {
  /** The server's URL with the proxy's address. */
  readonly url: string;
  /** Breaks open connections and refuses new ones. */
  disconnect(): void;
  /** Holds all data, in both directions, until `disconnect`. */
  freeze(): void;
  open(): void;
  /** Sends new connections to another server, as a DNS name does after a failover. Open ones stay. */
  redirect(url: string): void;
}

/** Starts a proxy of the server at `url`. */
export function startTcpProxy(url: string, defaultPort: number): TcpProxy {
  let server = new URL(url);
  const own = freePort();
  const connections = new Set<Deno.Conn>();
  let listener: Deno.Listener | undefined;
  let thawed = Promise.withResolvers<void>();
  thawed.resolve();
  const passing = () =>
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      async transform(chunk, controller) {
        await thawed.promise;
        controller.enqueue(chunk);
      },
    });
  const relays = new Set<Promise<unknown>>();

  const close = (connection: Deno.Conn) => {
    if (!connections.delete(connection)) return;
    try {
      connection.close();
    } catch {
      // closed by the peer
    }
  };
  async function relay(near: Deno.Conn): Promise<void> {
    connections.add(near);
    let far: Deno.Conn;
    try {
      far = await Deno.connect({ hostname: server.hostname, port: Number(server.port || defaultPort) });
    } catch {
      return close(near);
    }
    connections.add(far);
    if (!connections.has(near)) return close(far); // disconnected in the meantime
    const done = () => (close(near), close(far));
    await Promise.allSettled([
      near.readable.pipeThrough(passing()).pipeTo(far.writable).finally(done),
      far.readable.pipeThrough(passing()).pipeTo(near.writable).finally(done),
    ]);
  }
  const gate: TcpProxy = {
    url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(own) }).href,
    disconnect() {
      listener?.close();
      listener = undefined;
      for (const connection of [...connections]) close(connection);
      thawed.resolve(); // held data goes to closed connections
    },
    freeze() {
      thawed = Promise.withResolvers();
    },
    open() {
      const opened = listener = Deno.listen({ hostname: "127.0.0.1", port: own });
      (async () => {
        for await (const near of opened) {
          const relayed = relay(near).finally(() => relays.delete(relayed));
          relays.add(relayed);
        }
      })().catch(() => {}); // the listener was closed
    },
    redirect: (url) => void (server = new URL(url)),
    async [Symbol.asyncDispose]() {
      gate.disconnect();
      await Promise.allSettled([...relays]);
    },
  };
  gate.open();
  return gate;
}
