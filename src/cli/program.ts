/** The command line: one program, one command a file. */
import { Command } from "commander";
import { Problem, problems } from "../core/errors.ts";
import { about } from "./about.ts";
import { ceremonyCommand } from "./ceremony.ts";
import { completionsCommand } from "./completions.ts";
import { complianceCommand } from "./compliance.ts";
import { configCommand } from "./config.ts";
import { demoCommand } from "./demo.ts";
import { depositCommand } from "./deposit.ts";
import { deployCommand } from "./deploy.ts";
import { exitHelp, exitStatus, statusOf } from "./exit_status.ts";
import { localnetCommand } from "./localnet.ts";
import { noteCommand } from "./note.ts";
import { poolCommand } from "./pool.ts";
import { serveCommand } from "./serve.ts";
import { statusCommand } from "./status.ts";
import { storeCommand } from "./store.ts";
import { colours } from "./style.ts";
import { walletCommand } from "./wallet.ts";
import { withdrawCommand } from "./withdraw.ts";
import type { Wiring } from "./wiring.ts";

/** Every command, in the order in which help lists them. */
const commands = [
  depositCommand,
  withdrawCommand,
  noteCommand,
  complianceCommand,
  walletCommand,
  statusCommand,
  serveCommand,
  deployCommand,
  poolCommand,
  storeCommand,
  ceremonyCommand,
  localnetCommand,
  demoCommand,
  configCommand,
  completionsCommand,
];

/**
 * Runs the program.
 *
 * @param args without the program's own name
 * @returns the exit status; never throws
 */
export async function run(args: readonly string[], version: string, wiring: Wiring): Promise<number> {
  const program = new Command("tonado")
    .description("fixed-denomination shielded pools on TON: the relayer and its tools")
    .version(args.includes("--verbose") ? `tonado ${version}\n${await about(wiring.runtime)}` : version)
    .option("--verbose", "with --version: also what this build needs and what it carries")
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for what is possible)")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado demo\n  tonado deposit native-10 --network mainnet\n" +
        `  tonado help withdraw\n${exitHelp()}`,
    );
  for (const make of commands) program.addCommand(make(wiring));
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => wiring.stdout.write(text),
      writeErr: (text) => wiring.stderr.write(text),
      getOutHasColors: () => wiring.stdout.isTerminal,
      getErrHasColors: () => wiring.stderr.isTerminal,
    });
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitStatus.ok;
  } catch (error) {
    return explain(error, wiring);
  }
}

/** Says what went wrong and what to do about it; returns the exit status. */
function explain(error: unknown, { stderr, env }: Wiring): number {
  if (isCommanderError(error)) return error.exitCode === 0 ? exitStatus.ok : exitStatus.usage;
  const c = colours(stderr, env);
  if (!(error instanceof Problem)) {
    stderr.write(`${c.red("error")}: ${error instanceof Error ? error.message : String(error)}\n`);
    return statusOf(error);
  }
  const headline = error.errors.length > 0 ? problems[error.code].title : error.message; // each fault has its line below
  stderr.write(`${c.red("error")}: ${headline} [${error.code}]\n`);
  for (const { pointer, detail } of error.errors) stderr.write(`  ${c.bold(pointer)}: ${detail}\n`);
  stderr.write(`${c.dim(error.todo)}\n`);
  return statusOf(error);
}

/** commander has written its message already; only its exit code is of interest. */
function isCommanderError(error: unknown): error is { exitCode: number } {
  return error instanceof Error && "exitCode" in error &&
    String((error as { code?: unknown }).code).startsWith("commander.");
}
