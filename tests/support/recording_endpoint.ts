/** A toncenter endpoint that answers as the one behind it, and keeps what it was asked. */

/** What stands at an address. */
export interface RecordingEndpoint extends AsyncDisposable {
  /** Ends in `/api/v2/jsonRPC`. */
  readonly url: string;
  /** Each request, oldest first. */
  readonly asked: { readonly method: string; readonly params: unknown }[];
}

/** Serves `behind`. @param on told of each request before it is passed on */
export function recordingEndpoint(behind: string, on: () => void = () => {}): RecordingEndpoint {
  const asked: RecordingEndpoint["asked"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    const { method, params } = JSON.parse(body);
    asked.push({ method, params });
    on();
    return await fetch(behind, { method: "POST", body, headers: { "content-type": "application/json" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/api/v2/jsonRPC`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
