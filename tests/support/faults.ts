/** What goes wrong between a relayer and its endpoint, kind by kind, and what each does to a call or to its answer. */
import type { Random } from "../reliability/simulation/random.ts";
import type { WireAnswer } from "./http_wire.ts";

/** A call on its way. */
export interface ProxiedCall {
  /** Who asks: the first part of the URL that it was given. */
  readonly client: string;
  readonly method: string;
  // deno-lint-ignore no-explicit-any
  readonly params: Readonly<Record<string, any>>;
  readonly body: string;
}

/** The faults, and what each does to a call or to its answer. */
export const faultKinds = {
  "connection dropped before the call is made": "every call",
  "connection dropped after the call was made": "every call",
  "call made twice": "every call",
  "answer delayed, later ones overtake it": "every call",
  "answer cut off, shorter than announced": "every call",
  "half of the JSON": "every call",
  "HTTP 429 with Retry-After": "every call",
  "HTTP 500": "every call",
  "HTTP 502 with a page of HTML": "every call",
  "stale: an earlier answer of the same call": "reads whose answer has changed",
  "message taken and forgotten": "sends",
  "transaction with a flipped bit": "histories",
  "transaction left out": "histories",
  "transactions out of order": "histories",
  "lying root": "roots",
} as const;

/** Name of a fault. */
export type FaultKind = keyof typeof faultKinds;

/** An answer as the endpoint gave it. */
export interface PlainAnswer {
  readonly status: number;
  readonly text: string;
}

const LONGEST_DELAY_MS = 1_500;
/** Calls whose answers are kept to be given again, and answers of each. */
const MOST_KEPT = 2_000;
const MOST_OF_ONE = 5;
const ROOT_GETTERS = new Set(["get_root_history", "getCurrentRoot"]);

/** Whether a call asks for a pool's roots. */
export function asksForRoots({ params }: ProxiedCall): boolean {
  return ROOT_GETTERS.has(params.method);
}

/** An answer that a fault could not be applied to says so: it is not counted. */
export type Given = (WireAnswer & { readonly untouched?: true }) | undefined;

/** Answers a call as the fault wants it; undefined: not at all. */
export async function faulty(
  call: ProxiedCall,
  fault: FaultKind | undefined,
  forward: (call: ProxiedCall) => Promise<PlainAnswer>,
  { random, kept }: { random: Random; kept: KeptAnswers },
): Promise<Given> {
  const passed = async (): Promise<WireAnswer> => {
    const { status, text } = await forward(call);
    if (status === 200 && call.method !== "sendBoc") kept.add(call, text);
    return { status, body: text };
  };
  const altered = async (change: (body: string) => string): Promise<Given> => {
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
      await new Promise((resolve) => setTimeout(resolve, random.int(1, LONGEST_DELAY_MS)));
      return good;
    }
    case "answer cut off, shorter than announced": {
      const good = await passed();
      return { ...good, cutAt: random.int(0, Math.max(0, good.body.length - 1)) };
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
    case "HTTP 502 with a page of HTML":
      return { status: 502, headers: { "content-type": "text/html" }, body: "<html>Bad Gateway</html>" };
    case "stale: an earlier answer of the same call":
      return { status: 200, body: random.pick(kept.outdated(call)) };
    case "message taken and forgotten":
      return { status: 200, body: '{"ok":true,"result":{"@type":"ok"},"jsonrpc":"2.0","id":"1"}' };
    case "transaction with a flipped bit":
      return await altered(alteredRows((rows) => {
        const row = random.pick(rows);
        const bytes = Buffer.from(row.data, "base64");
        bytes[random.int(0, bytes.length - 1)] ^= 1 << random.int(0, 7);
        row.data = bytes.toString("base64");
      }));
    case "transaction left out":
      return await altered(alteredRows((rows) => void rows.splice(random.int(0, rows.length - 1), 1)));
    case "transactions out of order":
      return await altered(alteredRows((rows) => void rows.reverse()));
    case "lying root":
      return await altered(otherRoot);
  }
}

function alteredRows(change: (rows: { data: string }[]) => void): (body: string) => string {
  return (body) => {
    const answer = JSON.parse(body);
    if (!Array.isArray(answer.result) || answer.result.length === 0) return body;
    change(answer.result);
    return JSON.stringify(answer);
  };
}

/** Every long number in the answer, with another last digit: still a field element, but for odd ones at its very end. */
export function otherRoot(body: string): string {
  return body.replace(/"(0x[0-9a-f]{20,}|[0-9]{20,})"/g, (_, digits: string) => {
    const last = parseInt(digits.at(-1)!, 16);
    return `"${digits.slice(0, -1)}${last === 0 ? 1 : last - 1}"`;
  });
}

/** Answers that were given, for calls that will be made again. */
export class KeptAnswers {
  readonly #answers = new Map<string, string[]>();

  /** Answers of the same call before its newest one. */
  outdated(call: ProxiedCall): string[] {
    return this.#answers.get(keyOf(call))?.slice(0, -1) ?? [];
  }

  add(call: ProxiedCall, text: string): void {
    const key = keyOf(call);
    const answers = this.#answers.get(key) ?? [];
    if (answers.at(-1) !== text) answers.push(text);
    if (answers.length > MOST_OF_ONE) answers.shift();
    this.#answers.delete(key);
    this.#answers.set(key, answers);
    if (this.#answers.size > MOST_KEPT) this.#answers.delete(this.#answers.keys().next().value!);
  }
}

function keyOf({ method, params }: ProxiedCall): string {
  return JSON.stringify([method, params]);
}
