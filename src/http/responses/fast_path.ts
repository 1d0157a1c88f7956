/**
 * Precomputed responses, found by one lookup of the URL's path and query, without a router. Unknown or unavailable
 * ones fall through to the routes, which answer the same. The fast path never rejects a request.
 */
import type { Address } from "@ton/core";
import { fieldToHex } from "../../core/crypto/field.ts";
import type { Relayer } from "../../relay/relayer.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { nameRequestSpan } from "../../telemetry/trace.ts";
import { responseHeaders } from "./response_headers.ts";
import { relayerStatus } from "../routes/info_routes.ts";
import type { ConcurrencyLimit } from "../limits/concurrency_limit.ts";

/** A precomputed response of a route. */
interface FastResponse {
  readonly route: string;
  /** Throws when the route itself has to answer with the problem. */
  json(): string;
  /** Records the duration of a request in seconds. */
  readonly recordRequest?: ((seconds: number) => void) | undefined;
}

/** Creates the fast path. It returns undefined if no response is precomputed or no slot is free. */
export function createFastPath(
  relayer: Relayer,
  { places, metrics }: { places: ConcurrencyLimit; metrics?: Metrics | undefined },
): (request: Request) => Response | undefined {
  const answers = buildFastResponses(relayer, metrics);
  return ({ method, url }) => {
    const answer = method === "GET" ? answers.get(url.slice(url.indexOf("/", SCHEME_LENGTH))) : undefined;
    if (answer === undefined || places.full) return undefined;
    const began = performance.now();
    let body: string;
    try {
      body = answer.json();
    } catch {
      return undefined;
    }
    nameRequestSpan(method, answer.route);
    const response = new Response(body, {
      headers: { "content-type": "application/json", ...responseHeaders(crypto.randomUUID()) },
    });
    answer.recordRequest?.((performance.now() - began) / 1000);
    return response;
  };
}

/** Length of `https://`. */
const SCHEME_LENGTH = 8;

/** Returns the responses by path and query, as clients write them. */
function buildFastResponses(
  relayer: Relayer,
  metrics: Metrics | undefined,
): ReadonlyMap<string, FastResponse> {
  const answers = new Map<string, FastResponse>();
  const status = JSON.stringify(relayerStatus(relayer));
  const answered = (route: string) => metrics?.createRequestRecorder(route, "GET", 200);
  answers.set("/status", { route: "/status", json: () => status, recordRequest: answered("/status") });
  const rootAnswered = answered("/tree/root");
  for (const { deployment: { address } } of relayer.pools()) {
    const root = { ...cachedRootResponse(relayer, address), recordRequest: rootAnswered };
    for (const form of addressSpellings(address)) answers.set(`/tree/root?pool=${form}`, root);
  }
  return answers;
}

function cachedRootResponse(relayer: Relayer, address: Address): Pick<FastResponse, "route" | "json"> {
  let last: bigint | undefined;
  let text = "";
  return {
    route: "/tree/root",
    json() {
      const root = relayer.root(address);
      if (root !== last) [last, text] = [root, JSON.stringify({ root: fieldToHex(root) })];
      return text;
    },
  };
}

/** Returns all spellings of an address, raw and URL-encoded. */
function addressSpellings(address: Address): Set<string> {
  const forms = [address.toRawString()];
  for (const bounceable of [true, false]) {
    for (const testOnly of [true, false]) {
      forms.push(address.toString({ bounceable, testOnly }));
    }
  }
  return new Set(forms.flatMap((form) => [form, encodeURIComponent(form)]));
}
