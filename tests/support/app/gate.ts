/** A server between the page and an endpoint or relayer. It forwards everything until a test changes it. */

/** Answers a request itself, or returns undefined to forward it. */
export type Answer = (path: string, body: string) => Response | Promise<Response> | undefined;
/** Changes the JSON of an answer. */
// deno-lint-ignore no-explicit-any
export type Alter = (path: string, json: any, body: string) => unknown;

export interface Gate {
  /** The target's URL with the gate's host. */
  readonly url: string;
  /** The paths of the requests, with their queries. */
  readonly requests: readonly string[];
  answer: Answer | undefined;
  alter: Alter | undefined;
  /** Called with each request. */
  record: ((path: string, body: string) => void) | undefined;
  /** Forwards requests again, including held ones. */
  open(): void;
  /** Holds requests with this path, or all requests, until `open`. */
  hold(path?: string): void;
  close(): Promise<void>;
}

const DROPPED_HEADERS = ["content-encoding", "content-length", "transfer-encoding"];

/** @param host a name of this machine; requests to different hosts look like different servers */
export function startGate(target: string, host = "127.0.0.1"): Gate {
  const { origin, pathname } = new URL(target);
  const requests: string[] = [];
  let released = Promise.withResolvers<void>();
  let held: string | undefined;
  const ending = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: ending.signal },
    async (request) => {
      const url = new URL(request.url);
      const path = url.pathname + url.search;
      requests.push(path);
      const body = await request.text();
      gate.record?.(path, body);
      if (held !== undefined && url.pathname.startsWith(held)) {
        await released.promise;
      }
      const own = gate.answer?.(url.pathname, body);
      if (own) return withCors(await own);
      return await forward(origin + path, request, body, gate.alter, url.pathname);
    },
  );
  const gate: Gate = {
    url: `http://${host}:${server.addr.port}${pathname === "/" ? "" : pathname}`,
    requests,
    answer: undefined,
    alter: undefined,
    record: undefined,
    hold: (path = "/") => void (held = path),
    open() {
      [gate.answer, gate.alter, held] = [undefined, undefined, undefined];
      released.resolve();
      released = Promise.withResolvers();
    },
    async close() {
      gate.open();
      ending.abort();
      await server.finished;
    },
  };
  return gate;
}

async function forward(
  url: string,
  { method, headers }: Request,
  body: string,
  alter: Alter | undefined,
  path: string,
): Promise<Response> {
  const sent = new Headers(headers);
  for (const name of ["host", "content-length", "accept-encoding"]) sent.delete(name);
  if (alter) sent.set("accept", "application/json"); // only JSON can be altered
  const found = await fetch(url, { method, headers: sent, ...body !== "" && { body } });
  const kept = new Headers(found.headers);
  for (const name of DROPPED_HEADERS) kept.delete(name);
  const init = { status: found.status, headers: kept };
  if (!alter || found.status === 204) return new Response(found.body, init);
  const text = await found.text();
  try {
    return new Response(JSON.stringify(alter(path, JSON.parse(text), body)), init);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new Response(text, init);
  }
}

function withCors(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-allow-headers", "*");
  return response;
}
