/** The kinds of faults between a relayer and its endpoint, and their effects on calls and answers. */
import type { SeededRandom } from "../random/seeded_random.ts";
import type { RawResponse } from "./raw_http_server.ts";

export interface ProxiedCall {
  /** The name of the client: the first part of the path. */
  readonly client: string;
  readonly method: string;
  // deno-lint-ignore no-explicit-any
  readonly params: Readonly<Record<string, any>>;
  readonly body: string;
}

/** The faults and their effects. */
export const faultKinds = {
  "connection dropped before the call is made": "every call",
  "connection dropped after the call was made": "every call",
  "call made twice": "every call",
  "answer delayed, later ones overtake it": "every call",
  "answer cut off, shorter than announced": "every call",
  "half of the JSON": "every call",
  "HTTP 429 with Retry-After": "every call",
  "HTTP 500": "every call",
  "HTTP 502 with an HTML page": "every call",
  "stale: an earlier answer of the same call": "reads whose answer has changed",
  "message accepted and dropped": "sends",
  "transaction with a flipped bit": "histories",
  "transaction left out": "histories",
  "transactions out of order": "histories",
  "false root": "roots",
} as const;

export type FaultKind = keyof typeof faultKinds;

/** An answer of the endpoint. */
export interface EndpointResponse {
  readonly status: number;
  readonly text: string;
}

const MAX_DELAY_MS = 1_500;
/** The number of calls with recorded answers, and of recorded answers per call. */
const MAX_CACHED_CALLS = 2_000;
const MAX_CACHED_ANSWERS = 5;
const ROOT_GETTERS = new Set(["get_root_history", "getCurrentRoot"]);

/** Returns whether a call queries a pool's roots. */
export function isRootQuery({ params }: ProxiedCall): boolean {
  return ROOT_GETTERS.has(params.method);
}

/** `untouched` marks an answer that the fault could not change. It is not counted. */
type FaultyResponse = (RawResponse & { readonly untouched?: true }) | undefined;

/** Answers a call as the fault requires; undefined for no answer. */
export async function applyFault(
  call: ProxiedCall,
  fault: FaultKind | undefined,
  forward: (call: ProxiedCall) => Promise<EndpointResponse>,
  { random, history }: { random: SeededRandom; history: AnswerHistory },
): Promise<FaultyResponse> {
  const passed = async (): Promise<RawResponse> => {
    const { status, text } = await forward(call);
    if (status === 200 && call.method !== "sendBoc") history.add(call, text);
    return { status, body: text };
  };
  const altered = async (change: (body: string) => string): Promise<FaultyResponse> => {
    const good = await passed();
    const body = change(good.body);
    return body === good.body ? { ...good, untouched: true } : { ...good, body };
  };
  switch (fault) {
    case undefined:
      return await passed();
    case "connection dropped before the call is made":
      return undefined;
    case "connection dropped after the call was made":
      await passed();
      return undefined;
    case "call made twice":
      await passed();
      return await passed();
    case "answer delayed, later ones overtake it": {
      const good = await passed();
      await new Promise((resolve) => setTimeout(resolve, random.int(1, MAX_DELAY_MS)));
      return good;
    }
    case "answer cut off, shorter than announced": {
      const good = await passed();
      return { ...good, truncateAt: random.int(0, Math.max(0, good.body.length - 1)) };
    }
    case "half of the JSON":
      return await altered((body) => body.slice(0, body.length >> 1));
    case "HTTP 429 with Retry-After":
      return {
        status: 429,
        headers: { "retry-after": "1" },
        body: '{"ok":false,"error":"Ratelimit exceed","code":429}',
      };
    case "HTTP 500":
      return { status: 500, body: '{"ok":false,"error":"LITE_SERVER_NETWORK","code":500}' };
    case "HTTP 502 with an HTML page":
      return { status: 502, headers: { "content-type": "text/html" }, body: "<html>Bad Gateway</html>" };
    case "stale: an earlier answer of the same call":
      return { status: 200, body: random.pick(history.previousAnswers(call)) };
    case "message accepted and dropped":
      return { status: 200, body: '{"ok":true,"result":{"@type":"ok"},"jsonrpc":"2.0","id":"1"}' };
    case "transaction with a flipped bit":
      return await altered(alterRows((rows) => {
        const row = random.pick(rows);
        const bytes = Buffer.from(row.data, "base64");
        bytes[random.int(0, bytes.length - 1)] ^= 1 << random.int(0, 7);
        row.data = bytes.toString("base64");
      }));
    case "transaction left out":
      return await altered(alterRows((rows) => void rows.splice(random.int(0, rows.length - 1), 1)));
    case "transactions out of order":
      return await altered(alterRows((rows) => void rows.reverse()));
    case "false root":
      return await altered(alterRoots);
  }
}

function alterRows(change: (rows: { data: string }[]) => void): (body: string) => string {
  return (body) => {
    const answer = JSON.parse(body);
    if (!Array.isArray(answer.result) || answer.result.length === 0) return body;
    change(answer.result);
    return JSON.stringify(answer);
  };
}

/**
 * Changes the last digit of every long number. The result is still a field element, unless the number is
 * close to the modulus.
 */
export function alterRoots(body: string): string {
  return body.replace(/"(0x[0-9a-f]{20,}|[0-9]{20,})"/g, (_, digits: string) => {
    const last = parseInt(digits.at(-1)!, 16);
    return `"${digits.slice(0, -1)}${last === 0 ? 1 : last - 1}"`;
  });
}

/** Recorded answers, which are repeated as outdated ones. */
export class AnswerHistory {
  readonly #answers = new Map<string, string[]>();

  /** Returns the answers of the same call before the newest one. */
  previousAnswers(call: ProxiedCall): string[] {
    return this.#answers.get(callKey(call))?.slice(0, -1) ?? [];
  }

  add(call: ProxiedCall, text: string): void {
    const key = callKey(call);
    const answers = this.#answers.get(key) ?? [];
    if (answers.at(-1) !== text) answers.push(text);
    if (answers.length > MAX_CACHED_ANSWERS) answers.shift();
    this.#answers.delete(key);
    this.#answers.set(key, answers);
    if (this.#answers.size > MAX_CACHED_CALLS) this.#answers.delete(this.#answers.keys().next().value!);
  }
}

function callKey({ method, params }: ProxiedCall): string {
  return JSON.stringify([method, params]);
}
