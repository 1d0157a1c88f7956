/**
 * Answers that are known before anybody asks, found by one look-up of what the URL says behind the host, and given
 * without a router. What is not found, or cannot be given now, goes to the routes, which would answer the same: nothing
 * here may refuse.
 */
import type { Address } from "@ton/core";
import { toHex } from "../core/field.ts";
import type { Relayer } from "../relay/relayer.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { nameRequest } from "../telemetry/trace.ts";
import { answerHeaders } from "./answer_headers.ts";
import { statusOf } from "./info_routes.ts";
import type { Places } from "./places.ts";

/** An answer of a route. */
interface ReadyAnswer {
  readonly route: string;
  /** Throws when the route has to say why not. */
  json(): string;
  /** Counts one that took so many seconds. */
  readonly answered?: ((seconds: number) => void) | undefined;
}

/** The ready answer to a request, if there is one, and while there are `places`. */
export function readyAnswers(
  relayer: Relayer,
  { places, metrics }: { places: Places; metrics?: Metrics | undefined },
): (request: Request) => Response | undefined {
  const answers = answersOf(relayer, metrics);
  return ({ method, url }) => {
    const answer = method === "GET" ? answers.get(url.slice(url.indexOf("/", SCHEME))) : undefined;
    if (answer === undefined || places.full) return undefined;
    const began = performance.now();
    let body: string;
    try {
      body = answer.json();
    } catch {
      return undefined;
    }
    nameRequest(method, answer.route);
    const response = new Response(body, {
      headers: { "content-type": "application/json", ...answerHeaders(crypto.randomUUID()) },
    });
    answer.answered?.((performance.now() - began) / 1000);
    return response;
  };
}

/** Behind `https://`. */
const SCHEME = 8;

/** By path and query, as clients write them. */
function answersOf(relayer: Relayer, metrics: Metrics | undefined): ReadonlyMap<string, ReadyAnswer> {
  const answers = new Map<string, ReadyAnswer>();
  const status = JSON.stringify(statusOf(relayer));
  const answered = (route: string) => metrics?.answered(route, "GET", 200);
  answers.set("/status", { route: "/status", json: () => status, answered: answered("/status") });
  const rootAnswered = answered("/tree/root");
  for (const { deployment: { address } } of relayer.pools()) {
    const root = { ...rootAnswer(relayer, address), answered: rootAnswered };
    for (const form of formsOf(address)) answers.set(`/tree/root?pool=${form}`, root);
  }
  return answers;
}

function rootAnswer(relayer: Relayer, address: Address): Pick<ReadyAnswer, "route" | "json"> {
  let last: bigint | undefined;
  let text = "";
  return {
    route: "/tree/root",
    json() {
      const root = relayer.root(address);
      if (root !== last) [last, text] = [root, JSON.stringify({ root: toHex(root) })];
      return text;
    },
  };
}

/** All ways to write an address, encoded for a query or as they are. */
function formsOf(address: Address): Set<string> {
  const forms = [address.toRawString()];
  for (const bounceable of [true, false]) {
    for (const testOnly of [true, false]) {
      forms.push(address.toString({ bounceable, testOnly }));
    }
  }
  return new Set(forms.flatMap((form) => [form, encodeURIComponent(form)]));
}
