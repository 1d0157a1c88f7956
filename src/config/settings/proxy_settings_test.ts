import { deepEqual, doesNotThrow, equal, ok, throws } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { assertUsableProxies } from "./proxy_settings.ts";

const usable = [
  ...["http://host:8080", "HTTP://host", "https://host/", "http://user:p@ss@host:1", "http://[::1]:3128"],
  ...["host:8080", "user:pass@host:8080", "[::1]:1", "socks5://host:9050", "socks5h://user:pass@host:65535"],
];
const unusable = [
  ...["http://host:0", "http://host:65536", "http://host:99999", "host:0", "socks5://host:65536"],
  ...["SOCKS5://host:9050", "socks4://host:1", "socks5://[::1]:9050", "socks5://user@host:9050"],
  ...["http://", "http://host:8080/path", "http://ho st", " http://host", "ftp://host:1"],
];

for (const value of usable) {
  Deno.test(`proxy: ${value} is used`, () => doesNotThrow(() => assertUsableProxies({ ALL_PROXY: value })));
}
for (const value of unusable) {
  Deno.test(`proxy: ${value} would be bypassed, and is refused`, () => {
    throws(() => assertUsableProxies({ ALL_PROXY: value }), { code: "invalid_config" });
  });
}

Deno.test("every variable in either case is checked, unset ones are not, and no value is shown", () => {
  const names = ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
  const env = Object.fromEntries(names.map((name) => [name, "socks5:hunter2"]));
  try {
    assertUsableProxies({ ...env, NO_PROXY: "anything at all" });
  } catch (error) {
    ok(error instanceof Problem);
    deepEqual(error.errors.map(({ pointer }) => pointer), names);
    equal(JSON.stringify([error.message, error.errors]).includes("hunter2"), false);
    doesNotThrow(() => assertUsableProxies({ ALL_PROXY: "", HTTP_PROXY: undefined, NO_PROXY: "x y" }));
    return;
  }
  throw new Error("they were accepted");
});
