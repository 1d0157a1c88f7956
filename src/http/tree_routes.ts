/** GET /tree/root, /tree/path and /tree/commitments. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { assertFieldElement, toHex } from "../core/field.ts";
import type { HttpDeps, HttpEnv } from "./deps.ts";
import { responseExamples } from "./examples.ts";
import { sharedBody } from "./large_answers.ts";
import { createRoute, json, problemAnswers } from "./route.ts";
import { pageAnswer, pageQuery, pathAnswer, pathQuery, poolQuery, rootAnswer } from "./schemas.ts";

const shape = ["invalid_request", "secret_in_body", "unknown_pool", "not_ready"] as const;

const root = createRoute({
  method: "get",
  path: "/tree/root",
  tags: ["Tree"],
  summary: "Current root",
  request: { query: poolQuery },
  responses: { 200: json(rootAnswer, "Root", responseExamples.root), ...problemAnswers(shape) },
});

const path = createRoute({
  method: "get",
  path: "/tree/path",
  tags: ["Tree"],
  summary: "Path of a commitment. Asking reveals which deposit is being withdrawn: prefer /tree/commitments",
  request: { query: pathQuery },
  responses: {
    200: json(pathAnswer, "Path", responseExamples.path),
    ...problemAnswers([...shape, "not_in_field", "commitment_not_found"]),
  },
});

const commitments = createRoute({
  method: "get",
  path: "/tree/commitments",
  tags: ["Tree"],
  summary: "Leaves in order, to rebuild the tree",
  request: { query: pageQuery },
  responses: { 200: json(pageAnswer, "Page", responseExamples.commitments), ...problemAnswers(shape) },
});

const utf8 = new TextEncoder();
const end = utf8.encode("]}");

/** Adds the routes. */
export function treeRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: HttpDeps): void {
  app.openapi(root, (c) => c.json({ root: toHex(relayer.root(c.req.valid("query").pool)) }, 200));

  app.openapi(path, (c) => {
    const { pool, commitment } = c.req.valid("query");
    assertFieldElement(commitment, "commitment");
    const { root, pathElements, pathIndices } = relayer.path(pool, commitment);
    return c.json(
      { root: toHex(root), pathIndices: [...pathIndices], pathElements: pathElements.map(toHex) },
      200,
    );
  });

  app.openapi(commitments, (c) => {
    const query = c.req.valid("query");
    const { pool, from, count, nextFrom, items } = relayer.commitments(query.pool, query.from, query.limit);
    // Full blocks of leaves are encoded once, and not parsed again to be printed.
    const head = utf8.encode(
      `${JSON.stringify({ pool, from, count, nextFrom }).slice(0, -1)},"commitments":[`,
    );
    return c.body(sharedBody(head, ...items, end), 200, { "content-type": "application/json" }) as never;
  });
}
