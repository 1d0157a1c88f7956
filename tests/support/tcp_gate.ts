/** A TCP relay in front of a server, which a test may shut: then connections break and new ones are refused; or freeze: then
 * nothing passes and nothing breaks. */
import { freePort } from "./program.ts";

/** A running gate. */
export interface TcpGate extends AsyncDisposable {
  /** The server's URL with the gate's address in it. */
  readonly url: string;
  /** Breaks what is open and refuses what comes. */
  shut(): void;
  /** Swallows what is sent, both ways, until it is shut. */
  freeze(): void;
  open(): void;
}

/** Puts a gate in front of the server of `url`. */
export function gateTo(url: string, defaultPort: number): TcpGate {
  const { hostname, port } = new URL(url);
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
      // closed by its other end
    }
  };
  async function relay(near: Deno.Conn): Promise<void> {
    connections.add(near);
    let far: Deno.Conn;
    try {
      far = await Deno.connect({ hostname, port: Number(port || defaultPort) });
    } catch {
      return close(near);
    }
    connections.add(far);
    if (!connections.has(near)) return close(far); // shut meanwhile
    const done = () => (close(near), close(far));
    await Promise.allSettled([
      near.readable.pipeThrough(passing()).pipeTo(far.writable).finally(done),
      far.readable.pipeThrough(passing()).pipeTo(near.writable).finally(done),
    ]);
  }
  const gate: TcpGate = {
    url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(own) }).href,
    shut() {
      listener?.close();
      listener = undefined;
      for (const connection of [...connections]) close(connection);
      thawed.resolve(); // what was held back goes to connections that are closed
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
    async [Symbol.asyncDispose]() {
      gate.shut();
      await Promise.allSettled([...relays]);
    },
  };
  gate.open();
  return gate;
}
