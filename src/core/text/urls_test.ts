import { deepEqual, equal, throws } from "node:assert/strict";
import { Problem } from "../errors/problem.ts";
import { isPrivateHost, parseRelayerUrl, redactUrl } from "./urls.ts";

const shown: [given: string, shown: string][] = [
  ["https://relayer.example/v1", "https://relayer.example/v1"],
  ["http://user:SECRET@host:8081/api?api_key=SECRET#x", "http://[redacted]@host:8081/api?[redacted]"],
  ["http://SECRET@host", "http://[redacted]@host"],
  ["http://user:SEC/RET@host", "[redacted]"],
  ["http://a:b:SECRET@host:x", "[redacted]"],
  ["user:SECRET@host", "[redacted]"],
  ["host?key=SECRET", "host?[redacted]"],
  ["http://host/#SECRET", "http://host/?[redacted]"],
  ["notaurl", "notaurl"],
];
for (const [given, expected] of shown) {
  Deno.test(`of ${given} is shown ${expected}`, () => equal(redactUrl(given), expected));
}

for (
  const given of [
    "notaurl",
    "file:///etc/passwd",
    "",
    "relayer.example",
    "http://user:SECRET@host",
    "https://SECRET@host",
    "https://host/?key=SECRET",
    "https://host#SECRET",
  ]
) {
  Deno.test(`${JSON.stringify(given)} is not a relayer's URL, and its secrets are not shown`, () => {
    throws(() => parseRelayerUrl(given, "--relayer"), (error) => {
      equal(error instanceof Problem && error.code, "invalid_config");
      const { message, errors, hint } = error as Problem;
      deepEqual(errors, [{ pointer: "--relayer", detail: message }]);
      equal(`${message}${hint}`.includes("SECRET"), false);
      return true;
    });
  });
}

Deno.test("a relayer's URL is taken without the slashes at its end", () => {
  equal(parseRelayerUrl("https://relayer.example/v1//"), "https://relayer.example/v1");
});

const privateHosts = [
  "localhost",
  "app.localhost",
  "127.0.0.1",
  "[::1]",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.0.1",
]
  .concat(
    "192.168.0.9",
    "169.254.1.1",
    "[fd00::1]",
    "[fcab::]",
    "[fe80::1]",
    "ton-http-api",
    "api.lan",
    "a.internal",
  );
const publicHosts = [
  "172.32.0.1",
  "172.15.0.1",
  "11.0.0.1",
  "8.8.8.8",
  "192.169.0.1",
  "[2a00::fd00]",
  "[fec0::1]",
]
  .concat("toncenter.com", "lan.example", "10.example", "10.0.0.1.example", "internal.example");
for (const [hosts, expected] of [[privateHosts, true], [publicHosts, false]] as const) {
  for (const host of hosts) {
    Deno.test(`${host} is ${expected ? "a private" : "no private"} host`, () => {
      equal(isPrivateHost(new URL(`http://${host}:81`).hostname), expected);
    });
  }
}
