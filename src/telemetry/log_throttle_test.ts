import { deepEqual } from "node:assert/strict";
import { configureLog } from "./log.ts";
import { LogThrottle } from "./log_throttle.ts";

function scene() {
  const lines: string[] = [];
  let now = 0;
  const log = configureLog({ level: "info", format: "json", write: (line) => lines.push(line) });
  return {
    throttle: new LogThrottle(log, () => now),
    pass: (ms: number) => now += ms,
    read: () =>
      lines.splice(0).map((line) => JSON.parse(line)).map(({ level, template, path, suppressed, of }) =>
        suppressed === undefined ? [level, template, path] : [level, of, suppressed]
      ),
  };
}

Deno.test("a flood of warnings is one line, and its count a minute later", () => {
  const { throttle, pass, read } = scene();
  for (let i = 0; i < 3_000; i++) throttle.warning("refused {path}", { path: `/${i}` });
  deepEqual(read(), [["WARN", "refused {path}", "/0"]]);
  pass(59_999);
  throttle.flush();
  deepEqual(read(), []);
  pass(1);
  throttle.flush();
  deepEqual(read(), [["WARN", "refused {path}", 2_999]]);
  throttle.flush();
  deepEqual(read(), []);
});

Deno.test("a summary takes the place of the next minute's warning", () => {
  const { throttle, pass, read } = scene();
  throttle.warning("a");
  throttle.warning("a");
  pass(60_000);
  throttle.warning("a");
  deepEqual(read(), [["WARN", "a", undefined], ["WARN", "a", 1]]);
  pass(60_000);
  throttle.flush();
  deepEqual(read(), [["WARN", "a", 1]]);
});

Deno.test("each template has its own count, errors have ten a minute, and the end logs the rest", () => {
  const { throttle, read } = scene();
  throttle.warning("a");
  throttle.warning("b");
  for (let i = 0; i < 12; i++) throttle.error("c");
  deepEqual(read().length, 12);
  throttle.flush(true);
  deepEqual(read(), [["ERROR", "c", 2]]);
});

Deno.test("a minute without a second line has no summary", () => {
  const { throttle, pass, read } = scene();
  throttle.warning("a");
  pass(60_000);
  throttle.flush();
  throttle.warning("a");
  deepEqual(read().length, 2);
});
