/** Where a request ends, as far as that is not the runtime's business. */

/**
 * Whether a proxy in front may have taken another end for this request than the runtime did. One that is told both by a
 * length and in chunks is to be refused or read by its chunks, and the connection closed (RFC 9112, section 6.3): what
 * follows must not be answered, which may be the rest of this one to the proxy. Deno 2.9 refuses it. Before then the
 * runtime hides the length, so every chunked one is answered with `connection: close`, which makes it the last of its
 * connection there; 2.9 goes on after one in chunks alone, of which nobody can be mistaken.
 */
export function isOfUnsureLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has: that one reads them all
}
