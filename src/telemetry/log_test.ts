import { deepEqual, equal, match } from "node:assert/strict";
import { Secret } from "../core/secret.ts";
import { configureLog } from "./log.ts";

function linesOf(
  options: Parameters<typeof configureLog>[0],
  act: (log: ReturnType<typeof configureLog>) => void,
) {
  const lines: string[] = [];
  act(configureLog({ ...options, write: (line) => lines.push(line.trim()) }));
  return lines;
}

Deno.test("log: a JSON line carries its members, and a secret among them is redacted", () => {
  const [line] = linesOf({ level: "info", format: "json" }, (log) => {
    log.with({ pool: "native-10" }).info("deposit {leafIndex}", { leafIndex: 3, key: new Secret("hunter") });
  });
  const { message, pool, leafIndex, key, level } = JSON.parse(line);
  deepEqual([message, pool, leafIndex, key, level], [
    "deposit {leafIndex}",
    "native-10",
    3,
    "[redacted]",
    "INFO",
  ]);
});

Deno.test("log: what is below the level is not written", () => {
  equal(linesOf({ level: "warning", format: "json" }, (log) => log.info("quiet")).length, 0);
  match(linesOf({ level: "warning", format: "pretty" }, (log) => log.error("loud")).join("\n"), /loud/);
});
