/**
 * A chain endpoint that goes wrong on purpose: it stands in front of a good one and drops, repeats, delays, cuts and
 * alters what passes, as its seed decides. What it does is counted by kind. A test may also hold one request at an exact
 * point, so that a process can be killed there. Which request meets which fault depends on when they come; the seed fixes
 * the dice, not the order in which real processes ask.
 */
import { Cell, loadMessage } from "@ton/core";
import { normalizedHash } from "../../src/ton/wallet.ts";
import { Random } from "../simulation/random.ts";
import { serveWire, type WireAnswer, type WireRequest } from "./http_wire.ts";

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
  "stale: an earlier answer of the same call": "reads that were made before",
  "message taken and forgotten": "sends",
  "transaction with a flipped bit": "histories",
  "transaction left out": "histories",
  "transactions out of order": "histories",
  "lying root": "roots",
} as const;

/** Name of a fault. */
export type FaultKind = keyof typeof faultKinds;

/** Stops calls at a point until they are released. */
export interface Barrier {
  /** The first call that stands there; its process may be killed now. */
  readonly caught: Promise<ProxiedCall>;
  /** Lets go: what stands here goes on, or its connection is dropped. Nothing is held afterwards. */
  release(verdict: "go" | "drop"): void;
}

/** A running proxy. */
export interface FaultProxy extends AsyncDisposable {
  /** URL of the endpoint for a client of this name. */
  url(client: string): string;
  readonly counts: ReadonlyMap<FaultKind, number>;
  /** Calls that came. */
  readonly calls: number;
  /** Normalised hashes of the messages that were passed on. */
  readonly forwarded: ReadonlySet<string>;
  /** From now on a call meets a fault with this probability; 0: none does. */
  storm(chance: number): void;
  /** While true every root that the endpoint tells is another one. */
  lying: boolean;
  /** Holds calls that match, before they are passed on or before their answer is given. */
  hold(where: "before" | "after", matches: (call: ProxiedCall) => boolean): Barrier;
}

const LONGEST_DELAY_MS = 1_500;
/** Answers kept to be given again. */
const MOST_KEPT = 2_000;
const ROOT_GETTERS = new Set(["get_root_history", "getCurrentRoot"]);

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface OpenBarrier {
  readonly where: "before" | "after";
  readonly matches: (call: ProxiedCall) => boolean;
  readonly stand: (call: ProxiedCall) => Promise<"go" | "drop">;
  readonly release: (verdict: "go" | "drop") => void;
}

/** Puts a proxy in front of the endpoint at `target`. */
export function startFaultProxy({ target, seed }: { target: string; seed: number }): FaultProxy {
  const random = new Random(seed);
  const counts = new Map<FaultKind, number>();
  const kept = new Map<string, string[]>();
  const forwarded = new Set<string>();
  const barriers = new Set<OpenBarrier>();
  let chance = 0;
  let calls = 0;

  async function stopAt(where: "before" | "after", call: ProxiedCall): Promise<"go" | "drop"> {
    for (const barrier of [...barriers]) {
      if (barrier.where === where && barrier.matches(call) && await barrier.stand(call) === "drop") {
        return "drop";
      }
    }
    return "go";
  }

  async function forward({ method, params, body }: ProxiedCall): Promise<Answer> {
    if (method === "sendBoc") forwarded.add(messageHash(params.boc));
    const response = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  function draw(call: ProxiedCall): FaultKind | undefined {
    if (!random.chance(chance)) return undefined;
    const meets = {
      "every call": true,
      "sends": call.method === "sendBoc",
      "histories": call.method === "getTransactions",
      "roots": ROOT_GETTERS.has(call.params.method),
      "reads that were made before": call.method !== "sendBoc" && kept.has(keyOf(call)),
    };
    const kinds = Object.keys(faultKinds) as FaultKind[];
    return random.pick(kinds.filter((kind) => meets[faultKinds[kind]]));
  }

  function count(kind: FaultKind): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  async function answer(call: ProxiedCall): Promise<WireAnswer | undefined> {
    const fault = draw(call);
    const given = await faulty(call, fault, forward, { random, kept });
    if (fault !== undefined && !(given !== undefined && "untouched" in given)) count(fault);
    return given;
  }

  async function handle(request: WireRequest): Promise<WireAnswer | undefined> {
    calls++;
    const call = parseCall(request);
    if (await stopAt("before", call) === "drop") return undefined;
    let given = await answer(call);
    if (given && proxy.lying && ROOT_GETTERS.has(call.params.method)) {
      count("lying root");
      given = { ...given, body: otherRoot(given.body) };
    }
    return await stopAt("after", call) === "drop" ? undefined : given;
  }

  const server = serveWire(handle);
  const proxy: FaultProxy = {
    url: (client) => `http://127.0.0.1:${server.port}/${client}/api/v2/jsonRPC`,
    counts,
    get calls() {
      return calls;
    },
    forwarded,
    storm: (next) => void (chance = next),
    lying: false,
    hold(where, matches) {
      const caught = Promise.withResolvers<ProxiedCall>();
      const released = Promise.withResolvers<"go" | "drop">();
      const barrier: OpenBarrier = {
        where,
        matches,
        stand(call) {
          caught.resolve(call);
          return released.promise;
        },
        release(verdict) {
          barriers.delete(barrier);
          released.resolve(verdict);
        },
      };
      barriers.add(barrier);
      return { caught: caught.promise, release: barrier.release };
    },
    async [Symbol.asyncDispose]() {
      for (const { release } of [...barriers]) release("drop");
      await server[Symbol.asyncDispose]();
    },
  };
  return proxy;
}

/** An answer that a fault could not be applied to says so: it is not counted. */
type Given = (WireAnswer & { readonly untouched?: true }) | undefined;

async function faulty(
  call: ProxiedCall,
  fault: FaultKind | undefined,
  forward: (call: ProxiedCall) => Promise<Answer>,
  { random, kept }: { random: Random; kept: Map<string, string[]> },
): Promise<Given> {
  const passed = async (): Promise<WireAnswer> => {
    const { status, text } = await forward(call);
    if (status === 200 && call.method !== "sendBoc") keep(kept, keyOf(call), text);
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
      return { status: 200, body: random.pick(kept.get(keyOf(call))!) };
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
function otherRoot(body: string): string {
  return body.replace(/"(0x[0-9a-f]{20,}|[0-9]{20,})"/g, (_, digits: string) => {
    const last = parseInt(digits.at(-1)!, 16);
    return `"${digits.slice(0, -1)}${last === 0 ? 1 : last - 1}"`;
  });
}

function keyOf({ method, params }: ProxiedCall): string {
  return JSON.stringify([method, params]);
}

function keep(kept: Map<string, string[]>, key: string, text: string): void {
  const answers = kept.get(key) ?? [];
  if (answers.at(-1) !== text) answers.push(text);
  if (answers.length > 5) answers.shift();
  kept.delete(key);
  kept.set(key, answers);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
}

function parseCall({ path, body }: WireRequest): ProxiedCall {
  const { method, params } = JSON.parse(body);
  return { client: path.split("/")[1], method, params, body };
}

function messageHash(boc: string): string {
  const { info, body } = loadMessage(Cell.fromBase64(boc).beginParse());
  if (info.type !== "external-in") throw new TypeError("only external messages are sent");
  return normalizedHash(info.dest, body);
}
