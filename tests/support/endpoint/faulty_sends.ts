/** An endpoint in front of a local network that loses, repeats or refuses messages. Other calls pass unchanged. */
import { rpcError, rpcResult } from "./scripted_endpoint.ts";

type Forward = () => Promise<Response>;

/** What becomes of one attempt to send a message. */
export const sendFaults = {
  "none": (forward) => forward(),
  "lost before it arrives": () => Promise.reject(new TypeError("connection reset")),
  "answered too late": async (forward) => {
    await (await forward()).body?.cancel();
    return new Response("<html>Gateway Timeout</html>", { status: 504 });
  },
  /** As toncenter does, with one node that is slower than the others. */
  "answered by the second of two nodes": async (forward) => {
    await (await forward()).body?.cancel();
    return await forward();
  },
  "accepted and dropped": () => Promise.resolve(rpcResult({ "@type": "ok" })),
  "over the rate limit": () => Promise.resolve(rpcError(429)),
  "forbidden": () => Promise.resolve(rpcError(403)),
} as const satisfies Record<string, (forward: Forward) => Promise<Response>>;

export type SendFault = keyof typeof sendFaults | ((forward: Forward) => Promise<Response>);

export class FaultySends {
  /** The texts of the refusals that the endpoint has returned. */
  readonly refusals: string[] = [];

  readonly #nextFault: () => SendFault;

  /** @param nextFault what becomes of each attempt, or a function that returns what becomes of the next one */
  constructor(nextFault: keyof typeof sendFaults | (() => SendFault)) {
    this.#nextFault = typeof nextFault === "function" ? nextFault : () => nextFault;
  }

  readonly fetch: typeof fetch = async (url, init) => {
    if (JSON.parse(String(init!.body)).method !== "sendBoc") return await fetch(url, init);
    const next = this.#nextFault();
    const fault = typeof next === "function" ? next : sendFaults[next];
    // A message that is under way arrives even if the client gives up.
    const response = await fault(() => fetch(url, { ...init, signal: null }));
    const text = await response.text();
    if (/cannot apply external message/.test(text)) this.refusals.push(text);
    return new Response(text, response);
  };

  /** Serves the endpoint, for clients with a `fetch` of their own. */
  serve(target: string): { readonly url: string } & AsyncDisposable {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const { method, headers } = request;
      return await this.fetch(target, { method, headers, body: await request.text() });
    });
    return {
      url: `http://127.0.0.1:${server.addr.port}`,
      [Symbol.asyncDispose]: () => server.shutdown(),
    };
  }
}
