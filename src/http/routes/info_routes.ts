import { getMaxRefund, getMinFee } from "../../relay/withdrawals/policy.ts";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Relayer } from "../../relay/relayer.ts";
import { responseExamples } from "./examples.ts";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";
import { createRoute, documentedProblems, jsonResponse } from "./openapi_helpers.ts";
import { poolsResponse, statusResponse } from "./schemas.ts";

const status = createRoute({
  method: "get",
  path: "/status",
  tags: ["Relayer"],
  summary: "Network, fee policy, and the relayer address to bind in proofs",
  responses: {
    200: jsonResponse(statusResponse, "Status", responseExamples.status),
    ...documentedProblems([]),
  },
});

const pools = createRoute({
  method: "get",
  path: "/pools",
  tags: ["Relayer"],
  summary: "Pools of this relayer's network",
  responses: { 200: jsonResponse(poolsResponse, "Pools", responseExamples.pools), ...documentedProblems([]) },
});

export function relayerStatus(
  { network, feeBps, feeMinNano, address }: Relayer,
): z.infer<typeof statusResponse> {
  return { network, feeBps, feeMinNanoNative: String(feeMinNano), relayerAddress: address };
}

export function infoRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: RouteDependencies): void {
  app.openapi(status, (c) => c.json(relayerStatus(relayer), 200));

  app.openapi(pools, (c) =>
    c.json({
      network: relayer.network,
      pools: Object.fromEntries(
        relayer.pools().map((
          { key, formattedAddress: addressText, formattedJettonMaster: masterText, deployment, openClaims },
        ) => [key, {
          address: addressText,
          ...deployment.version !== undefined && { version: deployment.version },
          asset: deployment.asset,
          amount: deployment.amount,
          ...deployment.generation !== undefined && { generation: deployment.generation },
          denomination: String(deployment.denomination),
          deployedSeqno: deployment.deployedSeqno,
          feeMin: String(getMinFee(deployment, relayer.feeMinNano)),
          maxRefund: String(getMaxRefund(deployment)),
          ...deployment.retired && { retired: true },
          ...masterText && { jettonMaster: masterText, decimals: deployment.decimals, openClaims },
        }]),
      ),
    }, 200));
}
