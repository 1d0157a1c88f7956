/** Checks and redaction of URLs and API keys from settings. A URL may contain credentials. */
import { Problem } from "../errors/problem.ts";
import { REDACTED } from "./secret.ts";

export function redactUrl(text: string): string {
  if (text.includes("://") ? !URL.canParse(text) : text.includes("@")) return REDACTED; // not parseable, so any part may be the secret
  return text.replace(/\/\/[^/?#]*@/, `//${REDACTED}@`).replace(/[?#].*$/s, `?${REDACTED}`);
}

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false; // URL.parse is newer than Node.js 20.0
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** Returns the version in the path of another API of toncenter, like `v3` of `/api/v3`; undefined for API v2. */
export function otherApiVersion(url: string): string | undefined {
  return /\/api\/(v(?!2\b)\d+)\b/.exec(new URL(url).pathname)?.[1];
}

/** Returns whether this can be the URL of a toncenter v2 endpoint. */
export function isEndpointUrl(text: string): boolean {
  return isHttpUrl(text) && otherApiVersion(text) === undefined;
}

/** Returns whether an HTTP header can carry exactly this text: Latin-1 without control characters. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Removes trailing slashes from a relayer's base URL. Throws `invalid_config`, with the URL redacted. */
export function parseRelayerUrl(text: string, pointer = "baseUrl"): string {
  if (isHttpUrl(text) && !/[?#]/.test(text)) return text.replace(/\/+$/, "");
  const detail = `${JSON.stringify(redactUrl(text))} is not a relayer's URL: http or https, without user, ` +
    "password and query";
  throw new Problem("invalid_config", detail, {
    errors: [{ pointer, detail }],
    hint: "Give the base URL that its operator publishes, like https://relayer.example.",
  });
}

/** Names that no public server can have: RFC 6762, RFC 8375, names in use for local networks, and those without a dot. */
const PRIVATE_NAME = /^[^.:[\]]*[^.:[\]\d][^.:[\]]*$|\.(local|localhost|internal|lan|home\.arpa)$/;
/** RFC 1918, RFC 3927, RFC 4193 and RFC 4291, as `URL` writes them. */
const PRIVATE_ADDRESS =
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)[\d.]+$|^\[(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/;

/** Returns whether the host is this machine, or on its local network. */
export function isPrivateHost(hostname: string): boolean {
  return isLoopbackHost(hostname) || PRIVATE_NAME.test(hostname) || PRIVATE_ADDRESS.test(hostname);
}

export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
