/** Error texts of the endpoint are shortened and stripped of control characters. */
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { readBoundedText } from "../../core/text/bounded_body.ts";
import { isLoopbackHost } from "../../core/text/urls.ts";
import { backoffMs, cancelled, type Clock, delay, monotonicClock, withDeadline } from "../../core/time.ts";
import { type RequestPriority, RequestScheduler } from "./request_scheduler.ts";

export interface EndpointOptions {
  readonly endpoint: string; // `https://.../api/v2/jsonRPC`, or the base URL
  readonly apiKey?: string;
  /** The time limit of one attempt. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Default, as toncenter limits: 10 with a key, 1 without, unlimited on a loopback host. */
  readonly requestsPerSecond?: number;
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export class EndpointError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** `onError` sees an error before a retry. It throws a problem, or returns true to treat it as success. */
type JsonRpcCall = (
  priority: RequestPriority,
  method: string,
  params: Record<string, unknown>,
  options?: { signal?: AbortSignal; onError?: (error: EndpointError) => boolean },
) => Promise<unknown>;

const responseSchema = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false).optional(), error: z.unknown(), code: z.unknown() }),
]);

/** The state of a full pool takes 4 MiB, a page of 100 transactions under 1 MiB. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;
const tooLarge = () => new EndpointError(413, "response is too large");
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export function createJsonRpcClient(options: EndpointOptions): JsonRpcCall {
  const { apiKey, timeoutMs = 10_000, attempts = 5, clock = monotonicClock, random = Math.random } = options;
  const send = options.fetch ?? fetch;
  const url = normalizeEndpointUrl(options.endpoint);
  const local = isLoopbackHost(url.hostname);
  const scheduler = new RequestScheduler({
    requestsPerSecond: options.requestsPerSecond ?? (local ? Infinity : apiKey ? 10 : 1),
    clock,
  });
  const headers = { "content-type": "application/json", ...apiKey && { "x-api-key": apiKey } };

  async function attempt(method: string, params: Record<string, unknown>, signal?: AbortSignal) {
    const onTimeout = () => new EndpointError(504, `no response within ${timeoutMs} ms`);
    return await withDeadline(timeoutMs, { signal, onTimeout }, async (ended) => {
      try {
        const response = await send(url, {
          method: "POST",
          headers,
          body: JSON.stringify({ id: "1", jsonrpc: "2.0", method, params }),
          signal: ended,
          redirect: "error", // another server must not receive the key
        });
        if (response.status === 429) scheduler.pause(parseRetryAfterMs(response) ?? INITIAL_BACKOFF_MS);
        return parseResponse(response.status, await readBoundedText(response, MAX_RESPONSE_BYTES, tooLarge));
      } catch (error) {
        if (signal?.aborted) throw cancelled(signal);
        throw error instanceof EndpointError ? error : new EndpointError(502, "connection failed");
      }
    });
  }

  return async (priority, method, params, { signal, onError } = {}) => {
    for (let tried = 1;; tried++) {
      try {
        return await scheduler.run(priority, () => attempt(method, params, signal), signal);
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        if (onError?.(error)) return undefined;
        const retryable = error.code === 429 || error.code >= 500;
        if (!retryable || tried >= attempts) {
          throw new Problem("chain_unavailable", `${url.host} ${method}: ${error.message}`);
        }
        const wait = backoffMs(tried, { initialMs: INITIAL_BACKOFF_MS, maxMs: MAX_BACKOFF_MS, random });
        await delay(wait, signal, clock);
      }
    }
  };
}

export function normalizeEndpointUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Problem("invalid_config", "chain endpoint is not an http(s) URL");
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith("/jsonRPC")) url.pathname = path.replace(/(\/api\/v2)?$/, "/api/v2/jsonRPC");
  return url;
}

function parseResponse(status: number, text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    if (status >= 400) throw new EndpointError(status, `HTTP ${status}`);
    throw new EndpointError(502, "response is not JSON");
  }
  const answer = responseSchema.safeParse(json);
  if (!answer.success) {
    throw new EndpointError(status >= 400 ? status : 502, `HTTP ${status} without a JSON-RPC response`);
  }
  if (answer.data.ok && status < 400) return answer.data.result;
  const { code, error } = { code: undefined, error: undefined, ...answer.data };
  // Some proxies respond with status 200 and put the real status into the body.
  const errorStatus = status >= 400 ? status : typeof code === "number" && code >= 400 ? code : 502;
  throw new EndpointError(errorStatus, `HTTP ${errorStatus}${sanitizeMessage(error)}`);
}

function parseRetryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return seconds >= 0 ? Math.min(seconds * 1000, MAX_BACKOFF_MS) : undefined;
}

function sanitizeMessage(error: unknown): string {
  if (typeof error !== "string") return "";
  // deno-lint-ignore no-control-regex
  return `: ${error.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 400)}`;
}
