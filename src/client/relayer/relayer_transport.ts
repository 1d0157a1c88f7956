import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { readBoundedBytes } from "../../core/text/bounded_body.ts";
import { parseRelayerUrl } from "../../core/text/urls.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { cancelled, delay, withDeadline } from "../../core/time/deadline.ts";
import { isHttpProblemCode, RelayerProblem } from "./relayer_problem.ts";
import { AttemptError, parseRetryAfterMs, retryRequest } from "./request_retry.ts";

export interface RelayerTransportOptions {
  readonly fetch?: typeof fetch;
  /** Timeout of one attempt. Default: 60,000, because a withdrawal may wait 30 s for the relayer's wallet. */
  readonly attemptTimeoutMs?: number;
  /** Timeout of a request with all attempts and waits. Default: 90,000. */
  readonly requestTimeoutMs?: number;
  /** Default: 3. Retrying a withdrawal never pays it twice. */
  readonly maxAttempts?: number;
  /** A longer Retry-After ends the request. Default: 30,000. */
  readonly maxRetryDelayMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** The clock's time at which every request ends with `relayer_unavailable`. */
  readonly deadline?: number;
}

interface RelayerResponse {
  readonly status: number;
  readonly bytes?: Uint8Array<ArrayBuffer>; // of a response in bytes
  parse<S extends z.ZodType>(schema: S): z.output<S>;
}

type Send = (body?: unknown, accept?: string) => Promise<RelayerResponse>;

const BYTES_TYPE = "application/octet-stream";

const MAX_RESPONSE_BYTES = 8 * 2 ** 20; // a page of 10,000 commitments has 1.1 MiB

const tooLarge = () => new RangeError("the response is too large");

const problemDocumentSchema = z.object({ code: z.string() });

export class RelayerTransport {
  readonly baseUrl: string;
  readonly #clock: Clock;

  constructor(baseUrl: string, private readonly options: RelayerTransportOptions) {
    this.baseUrl = parseRelayerUrl(baseUrl);
    this.#clock = options.clock ?? systemClock;
  }

  deadlineIn(ms: number): number {
    return Math.min(this.#clock.now() + ms, this.options.deadline ?? Infinity);
  }

  request<S extends z.ZodType>(schema: S, path: string, body?: unknown): Promise<z.output<S>> {
    return this.retry(path, async (send) => (await send(body)).parse(schema));
  }

  async retry<T>(path: string, attempt: (send: Send, mayHaveTakenEffect: boolean) => Promise<T>): Promise<T> {
    const { signal, requestTimeoutMs = 90_000, maxAttempts = 3, maxRetryDelayMs = 30_000 } = this.options;
    const clock = this.#clock;
    const onTimeout = () => this.#unavailable(path, `has not responded to ${stripQuery(path)} in time`);
    return await withDeadline(
      this.deadlineIn(requestTimeoutMs) - clock.now(),
      { clock, signal, onTimeout },
      (signal) =>
        retryRequest((unsure) => attempt((body, accept) => this.#send(path, body, accept, signal), unsure), {
          maxAttempts,
          maxRetryDelayMs,
          sleep: (ms) => delay(ms, signal, clock),
          random: this.options.random ?? Math.random,
        }),
    );
  }

  /** Requests bytes. Earlier releases of the relayer respond with JSON. */
  requestBytes(path: string): Promise<RelayerResponse> {
    return this.retry(path, (send) => send(undefined, `${BYTES_TYPE}, application/json;q=0.5`));
  }

  async #send(
    path: string,
    body: unknown,
    accept: string | undefined,
    signal: AbortSignal,
  ): Promise<RelayerResponse> {
    const { attemptTimeoutMs = 60_000, fetch: send = fetch } = this.options; // browsers reject `fetch` as a method
    let response: Response | undefined;
    const failed = (problem: Problem, status?: number) =>
      new AttemptError(problem, status, this.#retryAfterMs(response));
    const noAnswer = (cause?: unknown) =>
      this.#unavailable(path, `does not respond to ${stripQuery(path)}`, cause);
    let content: { readonly bytes?: Uint8Array<ArrayBuffer>; readonly json?: unknown };
    try {
      const onTimeout = () => failed(noAnswer());
      content = await withDeadline(
        attemptTimeoutMs,
        { clock: this.#clock, signal, onTimeout },
        async (signal) => {
          response = await send(`${this.baseUrl}${path}`, {
            method: body === undefined ? "GET" : "POST",
            headers: {
              ...body !== undefined && { "content-type": "application/json" },
              ...accept !== undefined && { accept },
            },
            body: body === undefined ? undefined : JSON.stringify(body),
            signal,
          });
          const bytes = await readBoundedBytes(response, MAX_RESPONSE_BYTES, tooLarge);
          const isBytes = accept !== undefined && response.headers.get("content-type") === BYTES_TYPE;
          return isBytes ? { bytes } : { json: JSON.parse(new TextDecoder().decode(bytes)) };
        },
      );
    } catch (cause) {
      if (signal.aborted) throw cancelled(signal);
      if (cause instanceof AttemptError) throw cause;
      const isMalformed = cause instanceof SyntaxError || cause instanceof RangeError; // there was an answer
      throw failed(noAnswer(cause), isMalformed ? response?.status : undefined);
    }
    const { ok, status } = response!;
    if (ok) return { status, ...content, parse: (schema) => parseResponse(schema, content.json, path) };
    throw failed(this.#refusal(content.json, status, path), status);
  }

  #retryAfterMs(response: Response | undefined): number | undefined {
    return parseRetryAfterMs(response?.headers.get("retry-after") ?? null, this.#clock.now());
  }

  /** Without a response, the outcome of a submission is unknown. */
  #unavailable(path: string, what: string, cause?: unknown): Problem {
    const unknown = path === "/withdraw" ? ", and may still carry out the withdrawal" : "";
    return new Problem("relayer_unavailable", `${this.baseUrl} ${what}${unknown}`, { cause });
  }

  /** Accepts only codes of the HTTP API: a relayer must not be able to report `cancelled`. */
  #refusal(json: unknown, status: number, path: string): Problem {
    const parsed = problemDocumentSchema.safeParse(json);
    if (parsed.success && isHttpProblemCode(parsed.data.code)) {
      return new RelayerProblem(parsed.data.code, this.baseUrl, json as Record<string, unknown>);
    }
    return new Problem(
      "relayer_unavailable",
      `the relayer responded to ${stripQuery(path)} with status ${status}`,
    );
  }
}

function stripQuery(path: string): string {
  return path.split("?")[0];
}

function parseResponse<S extends z.ZodType>(schema: S, json: unknown, path: string): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = `/${issue.path.map(sanitizeKey).join("/")} ${issue.message}`;
  throw new Problem(
    "relayer_unavailable",
    `the relayer's response to ${stripQuery(path)} is malformed: ${where}`,
  );
}

/** A relayer chooses the keys of its pools, so they must not reach the terminal unchecked. */
function sanitizeKey(key: PropertyKey): string {
  return /^[\w.-]{1,40}$/.test(String(key)) ? String(key) : "…";
}
