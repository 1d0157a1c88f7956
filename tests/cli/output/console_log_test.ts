/** The console output of libraries, and uncaught errors, become lines of the relayer's log. */
import { deepEqual } from "node:assert/strict";
import { childCommand } from "../../../testkit/programs/child_command.ts";
import { sourceCommand } from "../../../testkit/programs/program.ts";

const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const PROGRAM = `
import { captureConsole } from ${module("../../../src/cli/output/serve_log.ts")};
import { configureLog } from ${module("../../../src/telemetry/log.ts")};
captureConsole(configureLog({ level: "info", format: "json" }), Deno.exit);
console.log("notice", { severity: 1 });
console.warn("deprecated");
console.error(new Error("printed"));
`;

/** Runs the program, followed by this code. */
async function levels(more: string) {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, PROGRAM + more);
  const { code, stdout, stderr } = await childCommand(sourceCommand()[0], {
    args: [
      "run",
      "-A",
      "--no-check",
      "--config",
      new URL("../../../deno.json", import.meta.url).pathname,
      file,
    ],
    stdin: "null",
  }).output();
  await Deno.remove(file);
  const lines = new TextDecoder().decode(stderr).trim().split("\n").map((line) => JSON.parse(line).level);
  return { code, stdout: stdout.length, lines };
}

const console = ["INFO", "WARN", "ERROR"];
for (
  const [what, more] of [
    ["an exception", `setTimeout(() => { throw new Error("nobody catches this"); }, 1);`],
    ["a rejection", `Promise.reject(new Error("nobody catches this"));`],
  ]
) {
  Deno.test(`an uncaught ${what} is a fatal line, and the process fails`, async () => {
    deepEqual(await levels(more), { code: 1, stdout: 0, lines: [...console, "FATAL"] });
  });
}

Deno.test("the console is captured without an error, too", async () => {
  deepEqual(await levels(""), { code: 0, stdout: 0, lines: console });
});
