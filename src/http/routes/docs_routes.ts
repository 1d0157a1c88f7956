/** GET /docs: the API's documentation in the bundled Swagger UI, which may connect to no other host. */
import { readApiDocsAsset } from "../api_docs_assets.ts";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv } from "../dependencies.ts";
import { memoizeAsync } from "../../core/time/single_flight.ts";
import { streamBytes } from "../responses/response_backpressure.ts";

const assetFiles = [
  ["/docs/swagger-ui.js", "swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"],
  ["/docs/swagger-ui.css", "swagger-ui.css.gz", "text/css; charset=utf-8"],
] as const;

const DOCS_PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>tonado relayer API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <script src="/docs/swagger-ui.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body><div id="page"></div></body>
</html>
`;
const START_SCRIPT =
  `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null });\n`;

/** Swagger UI needs inline styles; everything else loads from this host only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
/** `no-transform`: files are compressed in advance; compressing on request would invite denial of service. */
const CACHE_CONTROL = "public, max-age=86400, no-transform";

export function docsRoutes(app: OpenAPIHono<HttpEnv>): void {
  app.get("/docs", (c) => {
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": CONTENT_SECURITY_POLICY,
    };
    return c.body(DOCS_PAGE, 200, { ...headers, "referrer-policy": "no-referrer" });
  });
  app.get(
    "/docs/start.js",
    (c) => c.body(START_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }),
  );
  for (const [path, name, type] of assetFiles) {
    const packed = memoizeAsync(() => readApiDocsAsset(name));
    const plain = memoizeAsync(async () => await gunzip(await packed()));
    app.get(path, async (c) => {
      const headers = { "content-type": type, "cache-control": CACHE_CONTROL, vary: "accept-encoding" };
      if (/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) {
        return c.body(streamBytes(await packed()), 200, { ...headers, "content-encoding": "gzip" });
      }
      return c.body(streamBytes(await plain()), 200, headers);
    });
  }
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
