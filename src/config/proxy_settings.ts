/**
 * The proxy's variables, which the runtime reads itself: one that it cannot read it ignores without a word, and then it
 * connects directly, from the very address that was to be hidden.
 */
import { Problem } from "../core/errors.ts";
import type { Environment } from "./config.ts";

const NAMES = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

// What the runtime was seen to use; tests/processes/proxy_test.ts tries it. Of SOCKS it takes lower case alone, and no IPv6 address.
const [USER, PASSWORD] = [String.raw`[\w.~!$&'()*+,;=%-]`, String.raw`[\w.~!$&'()*+,;=%:@-]`];
const HOST = String.raw`[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\.?`;
const PORT = String.raw`(?::(?<port>\d{1,5}))?`;
const FORMS = [
  new RegExp(String.raw`^https?://(?:${USER}*:${PASSWORD}*@)?(?:${HOST}|\[[\da-f:.]+\])${PORT}/?$`, "i"),
  new RegExp(String.raw`^(?:${USER}+:${PASSWORD}+@)?(?:${HOST}|\[[\da-fA-F:.]+\])${PORT}$`),
  new RegExp(String.raw`^socks5h?://(?:${USER}+:${PASSWORD}+@)?${HOST}${PORT}/?$`),
];

/** What works, as the message says it. */
const EXPECTED = "a proxy that can be used, and without it every connection would be direct: " +
  "give it as http://host:port, https://host:port, socks5://host:port or socks5h://host:port, " +
  "user:password@ before the host where it asks for both";

/**
 * Refuses a proxy that the runtime would pass over.
 *
 * @throws {Problem} `invalid_config`, one entry for each variable, its value never repeated
 */
export function checkProxies(env: Environment): void {
  const errors = NAMES.filter((name) => env[name] && !isUsable(env[name]))
    .map((pointer) => ({ pointer, detail: `its value is not ${EXPECTED}` }));
  if (errors.length > 0) throw new Problem("invalid_config", undefined, { errors });
}

function isUsable(value: string): boolean {
  const found = FORMS.map((form) => form.exec(value)).find((each) => each !== null);
  if (!found) return false;
  const port = found.groups?.port;
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}
