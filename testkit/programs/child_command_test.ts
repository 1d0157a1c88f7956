/** Programs that a test, a tool or a benchmark starts end with it, whatever ends it. */
import assert from "node:assert/strict";
import { childCommand } from "./child_command.ts";
import { withTempDirectory } from "./temp_directory.ts";
import { waitUntil } from "./wait_until.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const END_TIMEOUT_MS = 120_000; // shorter than a child that is left behind sleeps
/** `ignore` of tests that need the kernel's help. */
const ignore = Deno.build.os !== "linux";
const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

const SLEEP = ["sh", "-c", "echo pid $$; exec sleep 600"];
const WAIT = "await new Promise((resolve) => setTimeout(resolve, 600_000));";

/** Returns code that starts a program, and prints the line in which it gives its process id. */
function starting(command: readonly string[]): string {
  return `const { startProgram } = await import(${url("program.ts")});
    console.log(await startProgram(${JSON.stringify(command)}, []).nextLine());`;
}

/** How a parent ends after it has started a child: its last statements, and the signal that it gets. */
const ends: readonly (readonly [how: string, last: string, signal?: Deno.Signal])[] = [
  ["reaches its end", "Deno.exit(0);"],
  ["throws", 'throw new Error("broken");'],
  ["is stopped with SIGINT", WAIT, "SIGINT"],
  ["is stopped with SIGTERM", WAIT, "SIGTERM"],
  ["is killed", WAIT, "SIGKILL"],
];

for (const [how, last, signal] of ends) {
  Deno.test({
    name: `a parent that ${how} leaves no child behind`,
    ignore,
    fn: () => assertNoChildLeft(["eval", "--no-check", `${starting(SLEEP)} ${last}`], signal),
  });
}

Deno.test({
  name: "a test that fails leaves no child behind",
  ignore,
  fn: () =>
    withTempDirectory(async (directory) => {
      const file = `${directory}/broken_test.ts`;
      const body = `${starting(SLEEP)} throw new Error("broken");`;
      await Deno.writeTextFile(
        file,
        `Deno.test({ name: "broken", sanitizeOps: false, sanitizeResources: false, fn: async () => { ${body} } });`,
      );
      await assertNoChildLeft(["test", "-A", "--no-check", file]);
    }),
});

Deno.test({
  name: "a parent that is killed leaves no program behind that timeout or a task of Deno started",
  ignore,
  fn: () =>
    withTempDirectory(async (directory) => {
      await Deno.writeTextFile(`${directory}/deno.json`, '{ "tasks": { "run": "deno run run.ts" } }');
      await Deno.writeTextFile(`${directory}/run.ts`, `console.log("pid", Deno.pid); ${WAIT}`);
      for (
        const command of [
          ["timeout", "60", ...SLEEP],
          [Deno.execPath(), "task", "--cwd", directory, "run"],
        ]
      ) {
        await assertNoChildLeft(["eval", "--no-check", `${starting(command)} ${WAIT}`], "SIGKILL");
      }
    }),
});

Deno.test({
  name: "a parent that is killed leaves no browser behind",
  ignore,
  fn: () =>
    withTempDirectory(async (directory) => {
      const browser = `${directory}/chromium`;
      await Deno.writeTextFile(browser, `#!/bin/sh\necho pid $$\nexec sleep 60\n`, { mode: 0o755 });
      const code = `const { launchBrowser } = await import(${url("browser.ts")});
        await launchBrowser(${JSON.stringify(browser)}, { dumpio: true });`;
      await assertNoChildLeft(["eval", "--no-check", "--config", CONFIG, code], "SIGKILL");
    }),
});

/**
 * Runs Deno until it ends, or until its child has given its process id and the signal is sent. Fails if the child runs
 * on.
 */
async function assertNoChildLeft(args: readonly string[], signal?: Deno.Signal): Promise<void> {
  const parent = childCommand(Deno.execPath(), { args: [...args], stdout: "piped", stderr: "null" }).spawn();
  let printed = "";
  for await (const text of parent.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (signal !== undefined && /pid \d+\n/.test(printed)) {
      parent.kill(signal);
      break;
    }
  }
  await parent.status;
  const pid = Number(/pid (\d+)/.exec(printed)?.[1]);
  assert.ok(pid > 0, `no process id in: ${printed}`);
  try {
    await waitUntil(`process ${pid} has ended`, async () => !await isRunning(pid), END_TIMEOUT_MS);
  } finally {
    if (await isRunning(pid)) Deno.kill(pid, "SIGKILL");
  }
}

/** Returns whether a process runs. One that has ended, and that no parent waited for, does not. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}
