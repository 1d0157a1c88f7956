/** GET /status and GET /pools. */
import { feeMinOf, refundLimitOf } from "../relay/terms.ts";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Relayer } from "../relay/relayer.ts";
import { responseExamples } from "./examples.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { createRoute, json, problemAnswers } from "./route.ts";
import { poolsAnswer, statusAnswer } from "./schemas.ts";

const status = createRoute({
  method: "get",
  path: "/status",
  tags: ["Relayer"],
  summary: "Network, fee policy, and the address to bind as relayer",
  responses: { 200: json(statusAnswer, "Status", responseExamples.status), ...problemAnswers([]) },
});

const pools = createRoute({
  method: "get",
  path: "/pools",
  tags: ["Relayer"],
  summary: "Pools of this relayer's network",
  responses: { 200: json(poolsAnswer, "Pools", responseExamples.pools), ...problemAnswers([]) },
});

/** What GET /status says; it never changes. */
export function statusOf({ network, feeBps, feeMinNano, address }: Relayer): z.infer<typeof statusAnswer> {
  return { network, feeBps, feeMinNanoNative: String(feeMinNano), relayerAddress: address };
}

/** Adds the routes. */
export function infoRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: HttpDeps): void {
  app.openapi(status, (c) => c.json(statusOf(relayer), 200));

  app.openapi(pools, (c) =>
    c.json({
      network: relayer.network,
      pools: Object.fromEntries(
        relayer.pools().map(({ key, shown, shownMaster, deployment }) => [key, {
          address: shown,
          asset: deployment.asset,
          amount: deployment.amount,
          ...deployment.generation !== undefined && { generation: deployment.generation },
          denomination: String(deployment.denomination),
          deployedSeqno: deployment.deployedSeqno,
          feeMin: String(feeMinOf(deployment, relayer.feeMinNano)),
          maxRefund: String(refundLimitOf(deployment)),
          ...deployment.retired && { retired: true },
          ...shownMaster && { jettonMaster: shownMaster, decimals: deployment.decimals },
        }]),
      ),
    }, 200));
}
