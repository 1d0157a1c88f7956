import { equal, match, notEqual } from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { childCommand } from "../../testkit/programs/child_command.ts";

/** Tasks that run a tool of this repository. Those that run tests pass their arguments on. */
const named = Object.values(config.tasks).flatMap((command) => /tools\/[\w/]+\.ts/.exec(command)?.[0] ?? []);
const tools = [...new Set(named)].filter((tool) => !/(run_tests|deep_tests)\.ts$/.test(tool));

for (const tool of tools) {
  Deno.test(`${tool} refuses an unknown flag before it does anything`, async () => {
    const { code, stdout, stderr } = await childCommand(Deno.execPath(), {
      args: ["run", "-A", "--no-check", tool, "--nope"],
      cwd: new URL("../../", import.meta.url),
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    notEqual(code, 0);
    equal(text(stdout), "");
    match(text(stderr), /--nope/);
  });
}

Deno.test("every tool is tested", () => equal(tools.length >= 9, true, String(tools)));
