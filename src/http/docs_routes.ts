/**
 * GET /docs: the API's documentation as a page, drawn from /openapi.json by Swagger UI, whose files come with the program.
 * The page asks no other host, and its policy lets it ask none.
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv } from "./deps.ts";
import { sharedBody } from "./large_answers.ts";

/** Files of the page: what they are called here, their committed name, their type. */
const files = [
  ["/docs/swagger-ui.js", "swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"],
  ["/docs/swagger-ui.css", "swagger-ui.css.gz", "text/css; charset=utf-8"],
] as const;

const PAGE = `<!DOCTYPE html>
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
const START =
  `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null });\n`;

/** Inline styles are Swagger UI's own; everything else is from here, or nothing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
/** And packed here or not at all: packing a megabyte for everybody who asks is work that a stranger could order. */
const DAY = "public, max-age=86400, no-transform";

/** Adds the routes. */
export function docsRoutes(app: OpenAPIHono<HttpEnv>): void {
  app.get("/docs", (c) => {
    const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY };
    return c.body(PAGE, 200, { ...headers, "referrer-policy": "no-referrer" });
  });
  app.get("/docs/start.js", (c) => c.body(START, 200, { "content-type": "text/javascript; charset=utf-8" }));
  for (const [path, name, type] of files) {
    const packed = once(() => Deno.readFile(new URL(`../../assets/api-docs/${name}`, import.meta.url)));
    const plain = once(async () => await unpacked(await packed()));
    app.get(path, async (c) => {
      const headers = { "content-type": type, "cache-control": DAY, vary: "accept-encoding" };
      if (/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) {
        return c.body(sharedBody(await packed()), 200, { ...headers, "content-encoding": "gzip" });
      }
      return c.body(sharedBody(await plain()), 200, headers);
    });
  }
}

/** Made when it is first asked for, and then kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined; // the next one tries again
      throw error;
    });
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
