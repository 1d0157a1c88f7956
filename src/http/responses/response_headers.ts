/** Any origin may read the API. Responses are neither cached nor sniffed. */
const FIXED_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after,x-request-id",
} as const;

export function responseHeaders(requestId: string): Readonly<Record<string, string>> {
  return { "x-request-id": requestId, ...FIXED_HEADERS };
}
