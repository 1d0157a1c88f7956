/** Checks what a test requires of the machine. Pass the result as `ignore` to skip the test by name. */

const answers = new Map<string, Promise<boolean>>();

/**
 * Returns whether a program can be started. Each program is tried once per process.
 *
 * @param args arguments with which the program exits at once
 * @example `Deno.test({ name, ignore: !await hasProgram("zsh"), fn })`
 */
export function hasProgram(program: string, args: readonly string[] = ["--version"]): Promise<boolean> {
  let answer = answers.get(program);
  if (answer === undefined) answers.set(program, answer = tryProgram(program, args));
  return answer;
}

/** A missing program makes `output()` throw or reject, depending on the runtime; `await` catches both. */
async function tryProgram(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, {
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
