import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Secret } from "../core/text/secret.ts";
import { configureLog } from "./log.ts";

function linesOf(
  options: Parameters<typeof configureLog>[0],
  act: (log: ReturnType<typeof configureLog>) => void,
) {
  const lines: string[] = [];
  act(configureLog({ ...options, write: (line) => lines.push(line.trim()) }));
  return lines;
}

Deno.test("a JSON line carries its members, and a secret among them is redacted", () => {
  const [line] = linesOf({ level: "info", format: "json" }, (log) => {
    log.with({ pool: "native-10" }).info("deposit {leafIndex}", { leafIndex: 3, key: new Secret("hunter") });
  });
  const { message, template, pool, leafIndex, key, level } = JSON.parse(line);
  deepEqual([message, template, pool, leafIndex, key, level], [
    "deposit 3",
    "deposit {leafIndex}",
    "native-10",
    3,
    "[redacted]",
    "INFO",
  ]);
});

Deno.test("a JSON line's message says what a person would read, and no secret", () => {
  const [line] = linesOf({ level: "info", format: "json" }, (log) => {
    log.info("{pool} has {key} and {lt}", { pool: "native-10", key: new Secret("hunter"), lt: 7n });
  });
  const { message } = JSON.parse(line);
  match(message, /^"native-10" has .*redacted.* and .*7/);
  ok(!line.includes("hunter"));
});

Deno.test("what is below the level is not written", () => {
  equal(linesOf({ level: "warning", format: "json" }, (log) => log.info("quiet")).length, 0);
  match(linesOf({ level: "warning", format: "pretty" }, (log) => log.error("loud")).join("\n"), /loud/);
});

for (const colour of [true, false]) {
  Deno.test(`text for people is ${colour ? "" : "not "}coloured where that is ${colour ? "" : "not "}wanted`, () => {
    const [line] = linesOf(
      { level: "info", format: "pretty", colour },
      (log) => log.info("of {n}", { n: 5 }),
    );
    match(line, /INF.*tonado:.* of .*5/);
    equal(line.includes("\x1b["), colour);
  });
}
