/** Precomputed responses, found without a router. Other requests reach the routes, which respond the same. */
import type { Address } from "@ton/core";
import { fieldToHex } from "../../core/crypto/field.ts";
import { monotonicClock } from "../../core/time/clock.ts";
import type { Relayer } from "../../relay/relayer.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { nameRequestSpan } from "../../telemetry/trace.ts";
import { responseHeaders } from "./response_headers.ts";
import { relayerStatus } from "../routes/info_routes.ts";
import type { ConcurrencyLimit } from "../limits/concurrency_limit.ts";

interface FastResponse {
  readonly route: string;
  /** Throws if the route itself must respond with a problem. */
  json(): string;
  readonly recordRequest?: ((seconds: number) => void) | undefined; // `seconds`: duration of the request
}

/** Returns a function that returns undefined if no response is precomputed or no slot is free. */
export function createFastPath(
  relayer: Relayer,
  { requestLimit, metrics }: { requestLimit: ConcurrencyLimit; metrics?: Metrics | undefined },
): (request: Request) => Response | undefined {
  const responses = buildFastResponses(relayer, metrics);
  return ({ method, url }) => {
    const found = method === "GET" ? responses.get(url.slice(url.indexOf("/", SCHEME_LENGTH))) : undefined;
    if (found === undefined || requestLimit.full) return undefined;
    const startedAt = monotonicClock.now();
    let body: string;
    try {
      body = found.json();
    } catch {
      return undefined;
    }
    nameRequestSpan(method, found.route);
    const response = new Response(body, {
      headers: { "content-type": "application/json", ...responseHeaders(crypto.randomUUID()) },
    });
    found.recordRequest?.((monotonicClock.now() - startedAt) / 1000);
    return response;
  };
}

const SCHEME_LENGTH = 8;

function buildFastResponses(
  relayer: Relayer,
  metrics: Metrics | undefined,
): ReadonlyMap<string, FastResponse> {
  const responses = new Map<string, FastResponse>();
  const status = JSON.stringify(relayerStatus(relayer));
  const recorder = (route: string) => metrics?.createRequestRecorder(route, "GET", 200);
  responses.set("/status", { route: "/status", json: () => status, recordRequest: recorder("/status") });
  const recordRoot = recorder("/tree/root");
  for (const { deployment: { address } } of relayer.pools()) {
    const root = { ...cachedRootResponse(relayer, address), recordRequest: recordRoot };
    for (const form of addressSpellings(address)) responses.set(`/tree/root?pool=${form}`, root);
  }
  return responses;
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

function addressSpellings(address: Address): Set<string> {
  const forms = [address.toRawString()];
  for (const bounceable of [true, false]) {
    for (const testOnly of [true, false]) {
      forms.push(address.toString({ bounceable, testOnly }));
    }
  }
  return new Set(forms.flatMap((form) => [form, encodeURIComponent(form)]));
}
