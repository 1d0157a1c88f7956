/** Serves a build of the app on localhost. */
import type { Deployments } from "../../../src/core/protocol/deployments.ts";
import { type AppSettings, openAppSite } from "../../../src/http/app/app_site.ts";

export interface ServedApp {
  /** The URL of the app's folder. It ends with a slash. */
  readonly url: string;
  readonly origin: string;
  /** Answers requests differently. If it is undefined or returns undefined, the site answers. */
  intercept: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  alterHeaders: ((headers: Headers) => void) | undefined;
  /** Returns what the site answers. */
  respond(request: Request): Promise<Response>;
  /** Serves with other settings, or another build, from now on. */
  reopen(settings?: Partial<AppSettings>): Promise<void>;
  close(): Promise<void>;
}

/** Removes the headers without which a page gets no shared memory. */
export function withoutIsolation(headers: Headers): void {
  for (const name of ["opener-policy", "embedder-policy"]) headers.delete(`cross-origin-${name}`);
}

/** An endpoint that does not exist: nothing listens on port 9. */
const NO_ENDPOINT = "http://127.0.0.1:9/api/v2/jsonRPC";
const noPools: Deployments = { network: "testnet", pools: new Map() };

export async function serveApp(
  settings: Partial<AppSettings> = {},
  { prefix = "/", port = 0 }: { readonly prefix?: string; readonly port?: number } = {},
): Promise<ServedApp> {
  const defaults = {
    depositEndpoint: NO_ENDPOINT,
    withdrawalEndpoint: NO_ENDPOINT,
    relayers: [],
    deployments: noPools,
  };
  let site = await openAppSite(prefix, { ...defaults, ...settings });
  const ending = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {}, signal: ending.signal },
    async (request) => {
      const response = await served.intercept?.(request) ?? await served.respond(request);
      served.alterHeaders?.(response.headers);
      return response;
    },
  );
  const origin = `http://localhost:${server.addr.port}`;
  const served: ServedApp = {
    url: origin + prefix,
    origin,
    intercept: undefined,
    alterHeaders: undefined,
    respond: async (request) => await site.respond(request),
    async reopen(changed = {}) {
      site = await openAppSite(prefix, { ...defaults, ...settings, ...changed });
    },
    async close() {
      ending.abort();
      await server.finished;
    },
  };
  return served;
}
