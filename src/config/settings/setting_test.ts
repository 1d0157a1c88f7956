import { deepEqual, equal, throws } from "node:assert/strict";
import { serveSettings } from "./serve_settings.ts";
import {
  anyText,
  apiKey,
  bearerToken,
  endpointUrl,
  findVariable,
  httpUrl,
  integer,
  MalformedSettingError,
  oneOf,
  postgresUrl,
  proxyCount,
  redactValue,
  redisUrl,
  type Setting,
} from "./setting.ts";

const refuses = (parse: (text: string) => unknown, text: string) =>
  throws(() => parse(text), MalformedSettingError, text);

Deno.test("a variable comes before its alias, and an empty one counts as unset", () => {
  const setting = { name: "A", alias: "B", help: "", parse: anyText };
  deepEqual(findVariable(setting, { A: "1", B: "2" }), { name: "A", value: "1" });
  deepEqual(findVariable(setting, { A: "", B: "2" }), { name: "B", value: "2" });
  deepEqual(findVariable(setting, { B: "" }), undefined);
  deepEqual(findVariable({ name: "A", help: "", parse: anyText }, { B: "2" }), undefined);
});

Deno.test("secrets, credentials and a mnemonic in place of a file name are never shown", () => {
  const shown = (name: string, value: string, secret?: true) =>
    redactValue({ name, help: "", parse: anyText, ...secret && { secret } }, value);
  equal(shown("KEY", "hunter2", true), "[redacted]");
  equal(shown("WORDS_FILE", "zebra abandon"), "[redacted]");
  equal(shown("WORDS_FILE", "/run/secrets/words"), "/run/secrets/words");
  equal(shown("HOST", "two words"), "two words");
  equal(shown("URL", "http://user:hunter2@host/path"), "http://[redacted]@host/path");
  equal(shown("URL", "user:hunter2@host").includes("hunter2"), false);
  equal(shown("URL", "host:80"), "host:80");
});

Deno.test("an integer is decimal, without sign or leading zero, and within its bounds", () => {
  const parse = integer(5, 120);
  deepEqual(["5", "42", "120"].map(parse), [5, 42, 120]);
  for (const text of ["4", "121", "-5", "+5", "05", "5.0", "5e1", "0x10", " 6", "six", "", "9".repeat(17)]) {
    refuses(parse, text);
  }
  throws(() => parse("4"), { message: "an integer from 5 to 120" });
});

Deno.test("a token has at least 16 printable characters", () => {
  const token = "!23456789012345~";
  equal(bearerToken(token), token);
  for (const text of [token.slice(1), `${token} x`, `${token}é`, `${token}\n`]) refuses(bearerToken, text);
});

Deno.test("the number of proxies is 0 to 16; true means 1 and false means 0", () => {
  deepEqual(["0", "1", "9", "10", "16", "true", "false"].map(proxyCount), [0, 1, 9, 10, 16, 1, 0]);
  for (const text of ["17", "20", "-1", "01", "TRUE", "yes", ""]) refuses(proxyCount, text);
});

Deno.test("URLs have the scheme that is needed", () => {
  const accepted: [parse: (text: string) => string, texts: string[]][] = [
    [httpUrl, ["http://host", "https://host:1/path"]],
    [endpointUrl, ["https://host", "https://host/api/v2/jsonRPC", "https://host/v3/api/v2/"]],
    [apiKey, ["0a1b", "Bearer x", "key\u00e9"]],
    [redisUrl, ["redis://host", "rediss://user:pass@host:6380/1"]],
    [postgresUrl, ["postgres://u:p@h/d", "postgresql://h/d?sslmode=require"]],
  ];
  for (const [parse, texts] of accepted) for (const text of texts) equal(parse(text), text);
  const refused: [parse: (text: string) => string, texts: string[]][] = [
    [httpUrl, ["ftp://host", "host", "https://user:pass@host", ""]],
    [endpointUrl, [
      "ftp://host",
      "https://user:pass@host",
      "https://host/api/v3",
      "https://host/api/v3/jsonRPC",
    ]],
    [apiKey, ["k\u0435y", "a\nb", "a\u0000"]],
    [redisUrl, ["http://host", "redis://", "redis", "localhost:6379"]],
    [postgresUrl, ["mysql://h/d", "h/d", "apostgres://h/d", "postgresqll://h/d"]],
  ];
  for (const [parse, texts] of refused) for (const text of texts) refuses(parse, text);
});

Deno.test("a choice must be one of the list, in the same case", () => {
  const parse = oneOf(["json", "pretty"]);
  equal(parse("pretty"), "pretty");
  throws(() => parse("JSON"), { message: "one of json, pretty" });
});

const bounds: [setting: keyof typeof serveSettings, min: number, max: number][] = [
  ["feeBps", 0, 10_000],
  ["batchSeconds", 0, 20],
  ["retentionDays", 1, 36_500],
  ["port", 0, 65_535],
  ["indexerRequestsPerSecond", 0, 1_000],
  ["indexerVerifyRequestsPerSecond", 0, 1_000],
  ["metricsPort", 0, 65_535],
  ["app", 0, 1],
  ["rateNoteCheck", 0, 1_000_000_000],
  ["rateWithdraw", 0, 1_000_000_000],
  ["hourlyCap", 0, 1_000_000_000],
  ["hourlyCapPerPool", 0, 1_000_000_000],
  ["alertNotReady", 0, 1_000_000_000],
  ["alertStuck", 0, 1_000_000_000],
];
for (const [key, min, max] of bounds) {
  Deno.test(`setting: ${serveSettings[key].name} is from ${min} to ${max}`, () => {
    const { parse } = serveSettings[key] as Setting<unknown>;
    deepEqual([parse(String(min)), parse(String(max))], [min, max]);
    for (const text of [String(min - 1), String(max + 1)]) refuses(parse, text);
  });
}
