/** Other programs that the tasks run. */
import { childCommand } from "../../testkit/programs/child_command.ts";

/** How a program is run. */
export type CommandOptions = Omit<Deno.CommandOptions, "args" | "stdin" | "stdout" | "stderr">;

/**
 * Returns a program's standard output, trimmed.
 *
 * @throws {Error} with everything that the program printed, if it fails
 */
export async function commandOutput(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { success, stdout, stderr } = await childCommand(command, {
    ...options,
    args: [...args],
    stdin: "null",
  }).output();
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (success) return text;
  throw new Error([`${command} ${args.join(" ")} failed`, text, errors].filter(Boolean).join("\n"));
}

/** Runs a program that prints for itself. Returns whether it succeeded. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<boolean> {
  const { success } = await childCommand(command, { ...options, args: [...args], stdin: "null" }).spawn()
    .status;
  return success;
}
