/** What routes are given. Types only. */
import type { Relayer } from "../relay/relayer.ts";
import type { Log } from "../telemetry/log.ts";

/** What every route gets. */
export interface HttpDeps {
  readonly relayer: Relayer;
  readonly log: Log;
}

/** Hono's variables of one request. */
export type HttpEnv = { Variables: { requestId: string } };
