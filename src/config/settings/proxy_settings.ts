/** The runtime ignores an unusable value and connects directly, which would reveal the hidden address. */
import { Problem } from "../../core/errors/problem.ts";
import type { Environment } from "./setting.ts";

const PROXY_VARIABLES = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"].flatMap((
  name,
) => [name, name.toLowerCase()]);

// The forms that the runtime accepts: SOCKS only in lower case and without IPv6.
const [USER, PASSWORD] = [String.raw`[\w.~!$&'()*+,;=%-]`, String.raw`[\w.~!$&'()*+,;=%:@-]`];
const HOST_SOURCE = String.raw`[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\.?`;
const PORT_SOURCE = String.raw`(?::(?<port>\d{1,5}))?`;
const SUPPORTED_PATTERNS = [
  new RegExp(
    String.raw`^https?://(?:${USER}*:${PASSWORD}*@)?(?:${HOST_SOURCE}|\[[\da-f:.]+\])${PORT_SOURCE}/?$`,
    "i",
  ),
  new RegExp(String.raw`^(?:${USER}+:${PASSWORD}+@)?(?:${HOST_SOURCE}|\[[\da-fA-F:.]+\])${PORT_SOURCE}$`),
  new RegExp(String.raw`^socks5h?://(?:${USER}+:${PASSWORD}+@)?${HOST_SOURCE}${PORT_SOURCE}/?$`),
];

const EXPECTED_FORMS = "a supported proxy, and connections would bypass it. Use http://host:port, " +
  "https://host:port, socks5://host:port or socks5h://host:port, with user:password@ before the host if it " +
  "requires both";

/** Throws `invalid_config`, without the values, for proxy variables that the runtime would ignore. */
export function assertUsableProxies(env: Environment): void {
  const errors = PROXY_VARIABLES.filter((name) => env[name] && !isUsable(env[name]))
    .map((pointer) => ({ pointer, detail: `its value is not ${EXPECTED_FORMS}` }));
  if (errors.length > 0) throw new Problem("invalid_config", undefined, { errors });
}

function isUsable(value: string): boolean {
  const found = SUPPORTED_PATTERNS.map((form) => form.exec(value)).find((each) => each !== null);
  if (!found) return false;
  const port = found.groups?.port;
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}
