/** What stands on every answer, refusals too. */

/** For any page may ask, nobody may keep or reinterpret what it is told. */
const FIXED = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after,x-request-id",
} as const;

/** The headers of an answer that names none of them itself. */
export function answerHeaders(requestId: string): Readonly<Record<string, string>> {
  return { "x-request-id": requestId, ...FIXED };
}
