/** The headers of the app's pages. The same policy is in a `meta` element, for hosts that cannot set headers. */

/** Where the page may connect to, besides its own origin. Each is an origin or a scheme. */
export type ConnectSources = readonly string[];

/** A build that names no endpoint may reach any: the header of its server restricts it. */
export const ANY_ENDPOINT: ConnectSources = ["https:", "http://localhost:*", "http://127.0.0.1:*"];

/** The policy without `frame-ancestors`, which browsers ignore in a `meta` element. */
export function metaPolicy(connect: ConnectSources): string {
  return policyDirectives(connect).join("; ");
}

function headerPolicy(connect: ConnectSources): string {
  return [...policyDirectives(connect), "frame-ancestors 'none'"].join("; ");
}

function policyDirectives(connect: ConnectSources): string[] {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...new Set(connect)].join(" "),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types tonado",
  ];
}

/** Isolation lets the prover share memory between its threads. */
export function appHeaders(connect: ConnectSources): Readonly<Record<string, string>> {
  return {
    "content-security-policy": headerPolicy(connect),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "permissions-policy": "camera=(self), geolocation=(), microphone=(), payment=(), usb=()",
  };
}
