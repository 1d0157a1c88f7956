/** URLs that people give: which are taken, and what of them may be shown, for user, password and query are credentials. */
import { Problem } from "./errors.ts";
import { REDACTED } from "./secret.ts";

/** A URL without what may be a secret in it: its user, password, query and fragment. */
export function shownUrl(text: string): string {
  if (text.includes("://") ? URL.parse(text) === null : text.includes("@")) return REDACTED; // nobody knows which part is what
  return text.replace(/\/\/[^/?#]*@/, `//${REDACTED}@`).replace(/[?#].*$/s, `?${REDACTED}`);
}

/** Whether it is an http or https URL without user and password. */
export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/**
 * A relayer's base URL, without slashes at its end.
 *
 * @param pointer the flag or parameter that it was given by
 * @throws {Problem} `invalid_config`, which shows no more of it than {@linkcode shownUrl}
 */
export function relayerUrl(text: string, pointer = "baseUrl"): string {
  if (isHttpUrl(text) && !/[?#]/.test(text)) return text.replace(/\/+$/, "");
  const detail = `${JSON.stringify(shownUrl(text))} is no relayer's URL: http or https, without user, ` +
    "password and query";
  throw new Problem("invalid_config", detail, {
    errors: [{ pointer, detail }],
    todo: "Give the base URL that its operator publishes, like https://relayer.example.",
  });
}

/** Whether a URL's host name is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
