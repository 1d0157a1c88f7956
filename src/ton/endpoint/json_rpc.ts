/**
 * Requests to one toncenter endpoint: queued by rank, timed out, tried again, their answers bounded in size. It owns
 * HTTP and nothing else; what an answer means is for its caller, and no text of the endpoint gets into an error but
 * shortened and stripped of control characters.
 */
import { z } from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { isLoopbackHost } from "../../core/text/urls.ts";
import { backoffMs, cancelled, type Clock, delay, monotonicClock, withDeadline } from "../../core/time.ts";
import { type RequestPriority, RequestScheduler } from "./request_scheduler.ts";

/** How to reach an endpoint. */
export interface EndpointOptions {
  /** `https://.../api/v2/jsonRPC`; the base URL without that path is accepted, too. */
  readonly endpoint: string;
  readonly apiKey?: string;
  /** Default 10 s, for one try. */
  readonly timeoutMs?: number;
  /** Default: 10 with a key, 1 without, no bound on a loopback host: toncenter's public limits. */
  readonly requestsPerSecond?: number;
  /** Tries of a request before it fails with `chain_unavailable`; default 5. */
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
  /** Default: {@link monotonicClock}. */
  readonly clock?: Clock;
  /** In [0, 1); spreads the retries of many clients. */
  readonly random?: () => number;
}

/** What an endpoint refused with. */
export class EndpointError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/**
 * Asks for `method`. An error answer that no retry can mend may be settled by the caller: `settles` throws the problem
 * that it is, or returns true when it is as good as success.
 */
export type JsonRpcCall = (
  rank: RequestPriority,
  method: string,
  params: Record<string, unknown>,
  options?: { signal?: AbortSignal; settles?: (error: EndpointError) => boolean },
) => Promise<unknown>;

const responseSchema = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false).optional(), error: z.unknown(), code: z.unknown() }),
]);

/** The largest answer that is read. The state of a full pool takes 4 MiB, a page of 100 transactions under 1. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** Opens an endpoint. @throws {Problem} `invalid_config` when its URL is not one. */
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
    const onTimeout = () => new EndpointError(504, `no answer within ${timeoutMs} ms`);
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
        return parseResponse(response.status, await readBoundedText(response));
      } catch (error) {
        if (signal?.aborted) throw cancelled(signal);
        throw error instanceof EndpointError ? error : new EndpointError(502, "connection failed");
      }
    });
  }

  return async (rank, method, params, { signal, settles } = {}) => {
    for (let tried = 1;; tried++) {
      try {
        return await scheduler.run(rank, () => attempt(method, params, signal), signal);
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        if (settles?.(error)) return undefined;
        const mayMend = error.code === 429 || error.code >= 500;
        if (!mayMend || tried >= attempts) {
          throw new Problem("chain_unavailable", `${url.host} ${method}: ${error.message}`);
        }
        const wait = backoffMs(tried, { initialMs: INITIAL_BACKOFF_MS, maxMs: MAX_BACKOFF_MS, random });
        await delay(wait, signal, clock);
      }
    }
  };
}

/** The JSON-RPC address of an endpoint given with or without its path. */
export function normalizeEndpointUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Problem("invalid_config", "chain endpoint is no http(s) URL");
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
    throw new EndpointError(502, "answer is no JSON");
  }
  const answer = responseSchema.safeParse(json);
  if (!answer.success) {
    throw new EndpointError(status >= 400 ? status : 502, `HTTP ${status}, no answer in it`);
  }
  if (answer.data.ok && status < 400) return answer.data.result;
  const { code, error } = { code: undefined, error: undefined, ...answer.data };
  // Some proxies answer 200 and put the status into the body.
  const refusedWith = status >= 400 ? status : typeof code === "number" && code >= 400 ? code : 502;
  throw new EndpointError(refusedWith, `HTTP ${refusedWith}${sanitizeMessage(error)}`);
}

async function readBoundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let length = 0;
  let text = "";
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new EndpointError(413, "answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
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
