/** A server of the local network's TON Connect bridge that can fail. */
import { WalletBridge } from "../../src/localnet/tonconnect/bridge.ts";

export interface BridgeServer {
  /** The URL, such as `http://127.0.0.1:5000/bridge`. */
  readonly url: string;
  /** The number of next requests for events that get an error, as from a bridge that restarts. */
  outages: number;
  /** The queries of all requests for events so far. */
  readonly queries: readonly URLSearchParams[];
  /** See {@linkcode WalletBridge.silence}. */
  silence(client: string): void;
  close(): Promise<void>;
}

/** Listens on any free port. */
export function startBridge(): BridgeServer {
  const wallets = new WalletBridge();
  const ending = new AbortController();
  const queries: URLSearchParams[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: ending.signal },
    (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method === "GET" && pathname === "/bridge/events") {
        if (bridge.outages > 0) {
          bridge.outages--;
          return new Response("restarting", {
            status: 503,
            headers: { "access-control-allow-origin": "*" },
          });
        }
        queries.push(searchParams);
      }
      return wallets.respond(request);
    },
  );
  const bridge: BridgeServer = {
    url: `http://127.0.0.1:${server.addr.port}/bridge`,
    outages: 0,
    queries,
    silence: (client) => wallets.silence(client),
    async close() {
      ending.abort();
      await server.finished;
    },
  };
  return bridge;
}
