/** GET /app/: the app, where the operator serves it. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv, RouteDependencies } from "../dependencies.ts";

export const APP_PREFIX = "/app/";

export function appRoutes(app: OpenAPIHono<HttpEnv>, { appSite }: Pick<RouteDependencies, "appSite">): void {
  if (!appSite) return;
  app.get("/app", (c) => c.redirect(APP_PREFIX, 308));
  app.get("/app/*", (c) => appSite.respond(c.req.raw));
}
