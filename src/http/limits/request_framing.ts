// Returns whether a proxy could see a different end of this request (request smuggling, RFC 9112, 6.3).
// Deno before 2.9 does not expose Content-Length, so every chunked request counts as ambiguous.
export function hasAmbiguousLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has(), which reads all headers
}
