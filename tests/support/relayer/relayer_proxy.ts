/** Serves a relayer's API over TCP, unchanged or with altered answers. */
import { FIELD_MODULUS, fieldToHex } from "../../../src/core/crypto/field.ts";

/** Changes the JSON of an answer. */
// deno-lint-ignore no-explicit-any
export type AnswerTransform = (path: string, answer: any) => unknown;

export interface RelayerProxy extends AsyncDisposable {
  readonly url: string;
  /** If true, submissions are not forwarded and get no answer. */
  holdSubmissions: boolean;
  /** The requested paths, with their queries. */
  readonly requestedPaths: readonly string[];
}

/** Serves `api`. @param instead may return a response, which replaces the relayer's */
export function startRelayerProxy(
  api: (request: Request) => Promise<Response>,
  lie: AnswerTransform = (_, answer) => answer,
  instead: (path: string) => Response | undefined = () => undefined,
): RelayerProxy {
  const requests: string[] = [];
  const served = { holdSubmissions: false };
  const ending = new AbortController();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(pathname + search);
    if (served.holdSubmissions && pathname === "/withdraw") {
      await new Promise((resolve) => ending.signal.addEventListener("abort", resolve));
      return new Response(null, { status: 503 });
    }
    const answer = instead(pathname);
    if (answer) return answer;
    const asJson = new Request(request);
    asJson.headers.set("accept", "application/json"); // only JSON can be altered
    const response = await api(asJson);
    const body = JSON.stringify(lie(pathname, await response.json()));
    return new Response(body, { status: response.status, headers: { "content-type": "application/json" } });
  });
  return Object.assign(served, {
    url: `http://127.0.0.1:${server.addr.port}`,
    requestedPaths: requests,
    [Symbol.asyncDispose]: () => (ending.abort(), server.shutdown()),
  });
}

/** Returns a field element other than `hex`. */
export function differentElement(hex: string): string {
  return fieldToHex((BigInt(hex) + 1n) % FIELD_MODULUS);
}
