/** Error texts of the endpoint are shortened and stripped of control characters. */
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { readBoundedText } from "../../core/text/bounded_body.ts";
import { isHeaderValue, isHttpUrl, isPrivateHost, otherApiVersion } from "../../core/text/urls.ts";
import { backoffMs } from "../../core/time/backoff.ts";
import { type Clock, monotonicClock } from "../../core/time/clock.ts";
import { cancelled, delay, withDeadline } from "../../core/time/deadline.ts";
import { type RequestPriority, RequestScheduler } from "./request_scheduler.ts";

export interface EndpointOptions {
  readonly endpoint: string; // `https://.../api/v2/jsonRPC`, or the base URL
  readonly apiKey?: string;
  /** The time limit of one attempt. Default: 10 s. */
  readonly timeoutMs?: number;
  /** 0: no limit. Default, as toncenter limits: 10 with a key, 1 without, no limit on a private host. */
  readonly requestsPerSecond?: number;
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export class EndpointError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly isRetryable: boolean = code === 429 || code >= 500,
  ) {
    super(message);
  }

  /** False if the endpoint refused the request before it processed it: 4xx. */
  get mayHaveTakenEffect(): boolean {
    return this.code >= 500;
  }
}

/** `onError` sees an error before a retry. It throws a problem, or returns true to treat it as success. */
export type JsonRpcCall = (
  priority: RequestPriority,
  method: string,
  params: Record<string, unknown>,
  options?: { signal?: AbortSignal; onError?: (error: EndpointError) => boolean },
) => Promise<unknown>;

const successSchema = z.object({ ok: z.literal(true), result: z.unknown() });
const textSchema = z.string().optional().catch(undefined);
const statusSchema = z.int().min(400).max(599).optional().catch(undefined);
/**
 * Each kind of server has its own member for the text: pyTON `error`, toncenter's rate limit `result`, JSON-RPC 2.0
 * `error.message`, gateways `message` or `detail`. Some proxies respond with status 200 and put the real one into `code`.
 */
const errorSchema = z.object({
  code: statusSchema,
  error: z.union([
    z.string().transform((message) => ({ code: undefined, message })),
    z.object({ code: statusSchema, message: textSchema }),
  ]).optional().catch(undefined),
  result: textSchema,
  message: textSchema,
  detail: textSchema,
});

/** The state of a full pool takes 4 MiB, a page of 100 transactions under 1 MiB. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;
const tooLarge = () => new EndpointError(502, "response is too large", false);
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export function createJsonRpcClient(options: EndpointOptions): JsonRpcCall {
  const { timeoutMs = 10_000, attempts = 5, clock = monotonicClock, random = Math.random } = options;
  const apiKey = options.apiKey?.trim();
  const send = options.fetch ?? fetch;
  const url = normalizeEndpointUrl(options.endpoint);
  const scheduler = new RequestScheduler({
    requestsPerSecond: requestRate({ ...options, apiKey, url: url.href }),
    clock,
  });
  if (apiKey !== undefined && !isHeaderValue(apiKey)) {
    throw new Problem(
      "invalid_config",
      "the endpoint's API key has a character that no HTTP header can carry",
    );
  }
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
          redirect: "manual", // another server must not receive the key
        });
        await assertNotRedirected(response, url);
        const text = await readBoundedText(response, MAX_RESPONSE_BYTES, tooLarge);
        try {
          return parseResponse(response.status, text);
        } catch (error) {
          if (error instanceof EndpointError && error.code === 429) {
            scheduler.pause(parseRetryAfterMs(response) ?? INITIAL_BACKOFF_MS);
          }
          throw error;
        }
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
        if (!error.isRetryable || tried >= attempts) {
          throw new Problem("chain_unavailable", `${url.host} ${method}: ${error.message}`);
        }
        const wait = backoffMs(tried, { initialMs: INITIAL_BACKOFF_MS, maxMs: MAX_BACKOFF_MS, random });
        await delay(wait, signal, clock);
      }
    }
  };
}

/** What limits the requests to an endpoint. */
export interface EndpointRate {
  readonly url?: string;
  readonly apiKey?: unknown;
  readonly requestsPerSecond?: number;
}

/** Returns how many requests a second an endpoint gets, Infinity without a limit. */
export function requestRate({ url, apiKey, requestsPerSecond }: EndpointRate): number {
  if (requestsPerSecond !== undefined) return requestsPerSecond || Infinity;
  if (url !== undefined && isPrivateHost(new URL(url).hostname)) return Infinity;
  return apiKey ? 10 : 1;
}

export function normalizeEndpointUrl(endpoint: string): URL {
  if (!isHttpUrl(endpoint)) {
    throw new Problem("invalid_config", "chain endpoint is not an http(s) URL without user and password");
  }
  const version = otherApiVersion(endpoint);
  if (version !== undefined) {
    throw new Problem(
      "invalid_config",
      `chain endpoint is one of toncenter's API ${version}. Give one of API v2, whose path is /api/v2/jsonRPC`,
    );
  }
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith("/jsonRPC")) url.pathname = path.replace(/(\/api\/v2)?$/, "/api/v2/jsonRPC");
  return url;
}

/** In browsers a redirect has neither a status nor a target. */
async function assertNotRedirected(response: Response, url: URL): Promise<void> {
  const location = response.headers.get("location");
  const redirects = response.status >= 300 && response.status < 400 && location !== null;
  if (!redirects && response.type !== "opaqueredirect") return;
  await response.body?.cancel();
  const target = location !== null && URL.canParse(location, url.href)
    ? new URL(location, url.href)
    : undefined;
  const status = redirects ? `HTTP ${response.status}: ` : "";
  const where = target ? `${target.origin}${target.pathname}` : "another URL";
  throw new EndpointError(
    response.status,
    `${status}redirects to ${where.slice(0, 400)}. Set the endpoint to the URL that it redirects to`,
    false,
  );
}

function parseResponse(status: number, text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    if (status >= 400) throw new EndpointError(status, `HTTP ${status}`);
    throw new EndpointError(502, "response is not JSON");
  }
  const success = successSchema.safeParse(json);
  if (success.success && status < 400) return success.data.result;
  const failure = errorSchema.safeParse(json);
  if (!failure.success) {
    throw new EndpointError(status >= 400 ? status : 502, `HTTP ${status} without a JSON-RPC response`);
  }
  const { code, error, result, message, detail } = failure.data;
  const errorStatus = status >= 400 ? status : code ?? error?.code ?? 502;
  const reason = formatReason(error?.message ?? result ?? message ?? detail);
  throw new EndpointError(errorStatus, `HTTP ${errorStatus}${reason}`);
}

function parseRetryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return seconds >= 0 ? Math.min(seconds * 1000, MAX_BACKOFF_MS) : undefined;
}

function formatReason(text: string | undefined): string {
  // deno-lint-ignore no-control-regex
  return text ? `: ${text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, 400)}` : "";
}
