/** Checks and redaction of URLs from settings, which may contain credentials. */
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

export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
