/** Runs commands to their end. */
import { childCommand } from "./child_command.ts";

/** The output of a command, and its exit status. */
interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a command: its working directory and environment. */
type RunOptions = Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv">;

/** Runs a command with an empty standard input. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> {
  const { code, stdout, stderr } = await childCommand(command, {
    ...options,
    args: [...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a command and returns its standard output. If it fails, throws with its output. */
export async function readCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  if (code !== 0) {
    throw new Error(`${command} ${args[0] ?? ""} failed with exit status ${code}:\n${stdout}${stderr}`);
  }
  return stdout;
}
