// Returns whether a proxy may disagree about where this request ends (RFC 9112, 6.3: request smuggling).
// Deno before 2.9 hides Content-Length, so there every chunked request counts as ambiguous.
export function hasAmbiguousLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has(), which reads all headers
}
