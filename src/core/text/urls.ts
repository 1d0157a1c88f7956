import { Problem } from "../errors/problem.ts";
import { REDACTED } from "./secret.ts";

export function redactUrl(text: string): string {
  if (text.includes("://") ? URL.parse(text) === null : text.includes("@")) return REDACTED; // not parseable, so any part may be the secret
  return text.replace(/\/\/[^/?#]*@/, `//${REDACTED}@`).replace(/[?#].*$/s, `?${REDACTED}`);
}

export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
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
