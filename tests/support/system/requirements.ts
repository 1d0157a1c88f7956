/** Checks what a test requires of the machine. Pass the result as `ignore` to skip the test by name. */
import { childCommand } from "../../../testkit/programs/child_command.ts";

const answers = new Map<string, Promise<boolean>>();

/**
 * Returns whether a program can be started. Each command is tried once per process.
 *
 * @param args arguments with which the program exits at once
 * @example `Deno.test({ name, ignore: !await hasProgram("zsh"), fn })`
 */
export function hasProgram(program: string, args: readonly string[] = ["--version"]): Promise<boolean> {
  const command = JSON.stringify([program, ...args]);
  let answer = answers.get(command);
  if (answer === undefined) answers.set(command, answer = tryProgram(program, args));
  return answer;
}

/** The Python in which the packages of tests are installed. CI makes a virtual environment for it. */
export const testPython: string = Deno.env.get("TONADO_TEST_PYTHON") ?? "python3";

/** Returns whether {@linkcode testPython} has these packages, each as `name==version`. */
export function hasPythonPackages(...packages: readonly string[]): Promise<boolean> {
  const check = "import sys; from importlib.metadata import version as v\n" +
    "sys.exit(any(v(name) != wanted for name, wanted in (each.split('==') for each in sys.argv[1:])))";
  return hasProgram(testPython, ["-c", check, ...packages]);
}

/** A missing program makes `output()` throw or reject, depending on the runtime; `await` catches both. */
async function tryProgram(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success } = await childCommand(program, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
}
