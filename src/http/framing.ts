/** Where a request ends, as far as that is not the runtime's business. */

/**
 * Whether a proxy in front may have taken another end for this request than the runtime did. One that is told both by a
 * length and in chunks is to be refused or read by its chunks, and the connection closed (RFC 9112, section 6.3): what
 * follows must not be answered, which may be the rest of this one to the proxy. The runtime refuses it only from Deno
 * 2.9 on, and before then hides the length, so every chunked one is the last of its connection.
 */
export function isOfUnsureLength(request: Request): boolean {
  return request.headers.get("transfer-encoding") !== null; // not has: that one reads them all
}
