/**
 * Returns whether a proxy may see another end of this request than the runtime (request smuggling). RFC 9112,
 * 6.3: a request with both a length and chunks closes its connection. Deno before 2.9 hides the length, so
 * every chunked request does.
 */
export function hasAmbiguousLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has(), which reads all headers
}
