/** A relayer's API over TCP, as it is or with lies in its answers: the honest relayer answers behind it. */
import { FIELD_MODULUS, toHex } from "../../src/core/field.ts";

/** Changes an answer's JSON. */
// deno-lint-ignore no-explicit-any
export type Lie = (path: string, answer: any) => unknown;

/** What stands at an address. */
export interface ServedApi extends AsyncDisposable {
  readonly url: string;
  /** While set, submissions are not passed on and wait. */
  hold: boolean;
  /** Paths that were asked for, with their queries. */
  readonly asked: readonly string[];
}

/** Serves `api`. @param instead answers in its place where it returns something */
export function serveApi(
  api: (request: Request) => Promise<Response>,
  lie: Lie = (_, answer) => answer,
  instead: (path: string) => Response | undefined = () => undefined,
): ServedApi {
  const asked: string[] = [];
  const served = { hold: false };
  const ending = new AbortController();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(pathname + search);
    if (served.hold && pathname === "/withdraw") {
      await new Promise((resolve) => ending.signal.addEventListener("abort", resolve));
      return new Response(null, { status: 503 });
    }
    const answer = instead(pathname);
    if (answer) return answer;
    const response = await api(request);
    const body = JSON.stringify(lie(pathname, await response.json()));
    return new Response(body, { status: response.status, headers: { "content-type": "application/json" } });
  });
  return Object.assign(served, {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => (ending.abort(), server.shutdown()),
  });
}

/** A field element that is not `hex`. */
export function another(hex: string): string {
  return toHex((BigInt(hex) + 1n) % FIELD_MODULUS);
}
