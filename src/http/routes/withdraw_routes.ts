import type { OpenAPIHono } from "@hono/zod-openapi";
import { assertFieldElement } from "../../core/crypto/field.ts";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";
import { bodyGuards } from "../limits/body_guards.ts";
import { requestExamples, responseExamples } from "./examples.ts";
import { rateLimit } from "../limits/rate_limit.ts";
import {
  bodyProblems,
  createRoute,
  documentedProblems,
  jsonRequest,
  jsonResponse,
} from "./openapi_helpers.ts";
import { broadcastResponse, withdrawalResponse, withdrawBody, withdrawStatusBody } from "./schemas.ts";

const withdrawProblems = [
  ...bodyProblems,
  "not_in_field",
  "unknown_pool",
  "fee_min_missing",
  "relayer_mismatch",
  "recipient_mismatch",
  "fee_mismatch",
  "refund_mismatch",
  "fee_below_floor",
  "fee_not_below_denomination",
  "refund_above_limit",
  "nullifier_already_used",
  "pool_retired",
  "rate_limited",
  "hourly_cap_reached",
  "retry_later",
  "not_ready",
  "unknown_root",
  "stale_root",
  "proof_invalid",
  "verification_busy",
  "fee_below_cost",
  "payouts_blocked",
  "relayer_balance_low",
] as const;

export function withdrawRoutes(
  app: OpenAPIHono<HttpEnv>,
  { relayer, warnings, rateLimits: limits, bodyTimeoutMs }: RouteDependencies,
): void {
  const guards = bodyGuards(warnings, bodyTimeoutMs);
  const withdraw = createRoute({
    method: "post",
    path: "/withdraw",
    tags: ["Withdrawals"],
    summary: "Broadcast a withdrawal that the client has proved",
    request: jsonRequest(withdrawBody, requestExamples.withdraw),
    middleware: [rateLimit("withdraw", limits), ...guards],
    responses: {
      200: jsonResponse(
        broadcastResponse,
        "The transfer with the withdrawal is sent",
        responseExamples.broadcast,
      ),
      202: jsonResponse(
        withdrawalResponse,
        "Accepted; the wallet is still busy. Poll POST /withdraw/status",
        responseExamples.accepted,
      ),
      ...documentedProblems(withdrawProblems),
    },
  });
  const status = createRoute({
    method: "post",
    path: "/withdraw/status",
    tags: ["Withdrawals"],
    summary: "Status of a withdrawal. The request has a body, so that proxies do not log the nullifier hash",
    request: jsonRequest(withdrawStatusBody, requestExamples.withdrawStatus),
    middleware: [rateLimit("withdraw-status", limits), ...guards],
    responses: {
      200: jsonResponse(withdrawalResponse, "The withdrawal", responseExamples.confirmed),
      ...documentedProblems([
        ...bodyProblems,
        "unknown_pool",
        "withdrawal_not_found",
        "not_in_field",
        "rate_limited",
      ]),
    },
  });

  app.openapi(withdraw, async (c) => {
    const { publicSignals, ...body } = c.req.valid("json");
    const [root, nullifierHash, recipient, relayerField, fee, refund] = publicSignals;
    const signals = { root, nullifierHash, recipient, relayer: relayerField, fee, refund };
    const { sent, withdrawal } = await relayer.submit({ ...body, signals });
    const { seqno, fee: charged } = withdrawal;
    return sent && seqno !== null && charged !== null
      ? c.json({ ...withdrawal, seqno, fee: charged }, 200)
      : c.json(withdrawal, 202);
  });

  app.openapi(status, async (c) => {
    const { pool, nullifierHash } = c.req.valid("json");
    assertFieldElement(nullifierHash, "nullifierHash");
    return c.json(await relayer.withdrawal(pool, nullifierHash), 200);
  });
}
