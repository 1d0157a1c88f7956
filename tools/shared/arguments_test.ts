import { match, ok } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describeTool } from "./arguments.ts";

const tools = new URL("../", import.meta.url);
const users = readdirSync(tools, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.startsWith("shared/"))
  .filter((path) => Deno.readTextFileSync(new URL(path, tools)).includes("readArguments("));

Deno.test("--help of each tool prints its usage", () => {
  ok(users.length > 10);
  for (const file of users) {
    match(describeTool(Deno.readTextFileSync(new URL(file, tools))), /^Usage: deno (task|run) /m, file);
  }
});
