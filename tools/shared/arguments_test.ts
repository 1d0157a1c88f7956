import { match, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describeTool } from "./arguments.ts";

const users = execFileSync("git", ["grep", "-l", "readArguments(", "--", "tools", ":!tools/shared"], {
  encoding: "utf8",
}).trim().split("\n");

Deno.test("tools: --help of each tool says how to call it", () => {
  ok(users.length > 10);
  for (const file of users) {
    match(describeTool(Deno.readTextFileSync(file)), /^Usage: deno (task|run) /m, file);
  }
});
