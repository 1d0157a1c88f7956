/** A toncenter endpoint that forwards to another one and records the requests. */

export interface RecordingEndpoint extends AsyncDisposable {
  /** Ends with `/api/v2/jsonRPC`. */
  readonly url: string;
  /** Oldest first. */
  readonly requests: { readonly method: string; readonly params: unknown }[];
}

type RecordedRequest = RecordingEndpoint["requests"][number];

/**
 * Starts an endpoint in front of `behind`.
 *
 * @param on called before each request is forwarded; a response that it returns is the answer instead
 */
export function startRecordingEndpoint(
  behind: string,
  on: (request: RecordedRequest) => Response | void = () => {},
): RecordingEndpoint {
  const calls: RecordingEndpoint["requests"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    const { method, params } = JSON.parse(body);
    calls.push({ method, params });
    const answer = on({ method, params });
    if (answer) return answer;
    return await fetch(behind, { method: "POST", body, headers: { "content-type": "application/json" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/api/v2/jsonRPC`,
    requests: calls,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
