/** Sends requests to the API without a listener. */
import type { App } from "../../../src/http/app.ts";

/** Answers a request to `input`, a path or a URL, as if it came from `peer`. */
export async function requestApp(
  app: App,
  input: string | URL | Request,
  init?: RequestInit,
  from: { readonly peer?: string } = {},
): Promise<Response> {
  const request = input instanceof Request ? input : new URL(input, "http://localhost");
  return await app.fetch(new Request(request, init), from as Parameters<App["fetch"]>[1]);
}
