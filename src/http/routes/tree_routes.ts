import { bytesToHex } from "@noble/hashes/utils.js";
import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { assertFieldElement, FIELD_BYTES, fieldToHex } from "../../core/crypto/field.ts";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";
import { responseExamples } from "./examples.ts";
import { streamBytes } from "../responses/response_backpressure.ts";
import { createRoute, documentedProblems, jsonResponse, withBytes } from "./openapi_helpers.ts";
import {
  commitmentsQuery,
  commitmentsResponse,
  pathQuery,
  pathResponse,
  poolQuery,
  rootResponse,
  spentResponse,
} from "./schemas.ts";

const commonCodes = ["invalid_request", "secret_in_body", "unknown_pool", "not_ready"] as const;

const root = createRoute({
  method: "get",
  path: "/tree/root",
  tags: ["Tree"],
  summary: "Current root",
  request: { query: poolQuery },
  responses: {
    200: jsonResponse(rootResponse, "Root", responseExamples.root),
    ...documentedProblems(commonCodes),
  },
});

const path = createRoute({
  method: "get",
  path: "/tree/path",
  tags: ["Tree"],
  summary: "Path of a commitment. The request reveals which deposit is withdrawn: prefer /tree/commitments",
  request: { query: pathQuery },
  responses: {
    200: jsonResponse(pathResponse, "Path", responseExamples.path),
    ...documentedProblems([...commonCodes, "not_in_field", "commitment_not_found"]),
  },
});

function pageResponses<S extends z.ZodType>(schema: S, items: string, example: unknown) {
  const last = `As bytes, a page with fewer ${items} than \`limit\` is the last one.`;
  const page = jsonResponse(schema, `Page. ${last} A page that never changes may be cached.`, example);
  return { 200: withBytes(page), ...documentedProblems(commonCodes) };
}

const commitments = createRoute({
  method: "get",
  path: "/tree/commitments",
  tags: ["Tree"],
  summary: "Leaves in order, to rebuild the tree; with Accept: application/octet-stream as 32 bytes each",
  request: { query: commitmentsQuery },
  responses: pageResponses(commitmentsResponse, "leaves", responseExamples.commitments),
});

const spent = createRoute({
  method: "get",
  path: "/spent",
  tags: ["Tree"],
  summary:
    "Nullifier hashes of the withdrawals in the order of the pool's log; with Accept: application/octet-stream as 32 bytes each",
  request: { query: commitmentsQuery },
  responses: pageResponses(spentResponse, "hashes", responseExamples.spent),
});

const utf8 = new TextEncoder();
const END_OF_ITEMS = "]";

const JSON_TYPE = "application/json";
const BYTES_TYPE = "application/octet-stream";

export function treeRoutes(app: OpenAPIHono<HttpEnv>, { relayer }: RouteDependencies): void {
  /** Pages before the last never change. A local network starts again with the same addresses. */
  const cacheHeaders = (isImmutable: boolean) => ({
    vary: "accept",
    ...isImmutable && relayer.network !== "localnet" &&
      { "cache-control": "public, max-age=31536000, immutable" },
  });

  app.openapi(root, (c) => c.json({ root: fieldToHex(relayer.root(c.req.valid("query").pool)) }, 200));

  app.openapi(path, (c) => {
    const { pool, commitment } = c.req.valid("query");
    assertFieldElement(commitment, "commitment");
    const { root, pathElements, pathIndices } = relayer.path(pool, commitment);
    return c.json(
      { root: fieldToHex(root), pathIndices: [...pathIndices], pathElements: pathElements.map(fieldToHex) },
      200,
    );
  });

  app.openapi(commitments, (c) => {
    const query = c.req.valid("query");
    if (wantsBytes(c)) {
      const { bytes, isImmutable } = relayer.leafPage(query.pool, query.from, query.limit);
      return c.body(streamBytes(bytes), 200, {
        "content-type": BYTES_TYPE,
        ...cacheHeaders(isImmutable),
      }) as never;
    }
    const { pool, from, count, nextFrom, items, pending } = relayer.commitments(
      query.pool,
      query.from,
      query.limit,
    );
    // Full blocks of leaves are encoded once and sent as bytes.
    const head = utf8.encode(
      `${JSON.stringify({ pool, from, count, nextFrom }).slice(0, -1)},"commitments":[`,
    );
    const waiting = pending?.map(({ leafIndex, commitment }) => ({
      leafIndex,
      commitment: fieldToHex(commitment),
    }));
    const end = utf8.encode(`${END_OF_ITEMS}${waiting ? `,"pending":${JSON.stringify(waiting)}` : ""}}`);
    const headers = { "content-type": JSON_TYPE, ...cacheHeaders(nextFrom !== null) };
    return c.body(streamBytes(head, ...items, end), 200, headers) as never;
  });

  app.openapi(spent, (c) => {
    const query = c.req.valid("query");
    const { bytes, isImmutable, ...page } = relayer.spent(query.pool, query.from, query.limit);
    const headers = cacheHeaders(isImmutable);
    if (wantsBytes(c)) {
      return c.body(streamBytes(bytes), 200, { "content-type": BYTES_TYPE, ...headers }) as never;
    }
    const nullifierHashes = Array.from(
      { length: page.count },
      (_, i) => `0x${bytesToHex(bytes.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES))}`,
    );
    return c.json({ ...page, nullifierHashes }, 200, headers);
  });
}

function wantsBytes(c: Context): boolean {
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, BYTES_TYPE], default: JSON_TYPE }) ===
    BYTES_TYPE;
}
