/** Request framing that the runtime does not handle. */

/**
 * Returns whether a proxy in front may see a different end of this request than the runtime (request smuggling). RFC
 * 9112, section 6.3: close the connection if a request has both a length and chunks. Deno before 2.9 hides the
 * length, so every chunked request closes its connection; Deno 2.9 rejects such requests itself.
 */
export function hasAmbiguousLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has(), which reads all headers
}
