/** POST /withdraw and POST /withdraw/status. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { assertFieldElement } from "../core/field.ts";
import type { WithdrawSignals } from "../relay/withdrawal_checks.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { bodyGuards } from "./body_guard.ts";
import { requestExamples, responseExamples } from "./examples.ts";
import { rateLimit } from "./rate_limit.ts";
import { bodyProblems, createRoute, json, jsonBody, problemAnswers } from "./route.ts";
import { sentAnswer, withdrawalAnswer, withdrawBody, withdrawStatusBody } from "./schemas.ts";

/** Adds the routes. */
export function withdrawRoutes(
  app: OpenAPIHono<HttpEnv>,
  { relayer, warnings, limits, bodyPatienceMs }: HttpDeps,
): void {
  const guards = bodyGuards(warnings, bodyPatienceMs);
  const withdraw = createRoute({
    method: "post",
    path: "/withdraw",
    tags: ["Withdrawals"],
    summary: "Broadcast a withdrawal that the client has proved",
    request: jsonBody(withdrawBody, requestExamples.withdraw),
    middleware: [rateLimit("withdraw", limits), ...guards],
    responses: {
      200: json(sentAnswer, "The transfer that carries it is sent", responseExamples.broadcast),
      202: json(
        withdrawalAnswer,
        "Accepted; the wallet is still busy. Ask POST /withdraw/status",
        responseExamples.accepted,
      ),
      ...problemAnswers([
        ...bodyProblems,
        "not_in_field",
        "unknown_pool",
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
        "proof_invalid",
        "verification_busy",
        "uneconomic",
        "relayer_balance_low",
      ]),
    },
  });
  const status = createRoute({
    method: "post",
    path: "/withdraw/status",
    tags: ["Withdrawals"],
    summary: "Where a withdrawal stands; a body, so that no proxy logs it",
    request: jsonBody(withdrawStatusBody, requestExamples.withdrawStatus),
    middleware: [rateLimit("withdraw-status", limits), ...guards],
    responses: {
      200: json(withdrawalAnswer, "The withdrawal", responseExamples.confirmed),
      ...problemAnswers([
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
    const { sent, withdrawal } = await relayer.submit({ ...body, signals: named(publicSignals) });
    const { seqno, fee } = withdrawal;
    return sent && seqno !== null && fee !== null
      ? c.json({ ...withdrawal, seqno, fee }, 200)
      : c.json(withdrawal, 202);
  });

  app.openapi(status, async (c) => {
    const { pool, nullifierHash } = c.req.valid("json");
    assertFieldElement(nullifierHash, "nullifierHash");
    return c.json(await relayer.withdrawal(pool, nullifierHash), 200);
  });
}

function named([root, nullifierHash, recipient, relayer, fee, refund]: readonly bigint[]): WithdrawSignals {
  return { root, nullifierHash, recipient, relayer, fee, refund };
}
