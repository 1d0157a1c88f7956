/** The command line: one program, one command a file. */
import { checkedNetwork } from "../ton/network_check.ts";
import { Command } from "commander";
import { checkProxies } from "../config/proxy_settings.ts";
import { about, versionText } from "./about.ts";
import { ceremonyCommand } from "./ceremony.ts";
import { completionsCommand } from "./completions.ts";
import { complianceCommand } from "./compliance.ts";
import { configCommand } from "./config.ts";
import { demoCommand } from "./demo.ts";
import { depositCommand } from "./deposit.ts";
import { deployCommand } from "./deploy.ts";
import { exitHelp, exitStatus } from "./exit_status.ts";
import { explain, noticesAsJson } from "./failure.ts";
import { localnetCommand } from "./localnet.ts";
import { noteCommand } from "./note.ts";
import { poolCommand } from "./pool.ts";
import { serveCommand } from "./serve.ts";
import { logFatal, logsJson } from "./serve_log.ts";
import { statusCommand } from "./status.ts";
import { storeCommand } from "./store.ts";
import { guarded } from "./terminal_text.ts";
import {
  helpOfWhatExists,
  isCommanderError,
  legible,
  mistakeOf,
  optionDescription,
  wholeMistake,
} from "./usage.ts";
import { walletCommand } from "./wallet.ts";
import { withdrawCommand } from "./withdraw.ts";
import type { Wiring } from "./wiring.ts";
import { zerosCommand } from "./zeros.ts";

/** What makes each command, in the order in which help lists them. */
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
  zerosCommand,
  completionsCommand,
];

/**
 * The program with its own flags and all commands; asked for these only, it needs no wiring.
 *
 * @param version what `--version` prints
 */
export function wholeProgram(wiring: Wiring, version: string): Command {
  const program = new Command("tonado")
    .description("fixed-denomination shielded pools on TON: the relayer and its tools")
    .version(version)
    .option("--verbose", "with --version: also what this build needs and what it carries");
  // Before the command, whichever it is: none may connect first.
  program.hook("preAction", () => checkProxies(wiring.env));
  for (const make of commands) program.addCommand(make(wiring));
  return program;
}

/**
 * Runs the program.
 *
 * @param args without the program's own name
 * @returns the exit status; never throws
 */
export async function run(args: readonly string[], version: string, adapters: Wiring): Promise<number> {
  const json = args.includes("--json");
  const shownTo = guarded({
    ...adapters,
    connect: (network, endpoint) => checkedNetwork(adapters.connect(network, endpoint), network),
  });
  const wiring = json ? { ...shownTo, stderr: noticesAsJson(shownTo.stderr) } : shownTo;
  const logged = !json && logsJson(args, shownTo);
  const facts = args.includes("--verbose") ? await about(wiring.runtime) : undefined;
  let told = "";
  const program = wholeProgram(wiring, versionText(version, facts, { json })).addHelpText(
    "after",
    "\nExamples:\n  tonado demo\n  tonado deposit native-10 --network mainnet\n" +
      `  tonado help withdraw\n${exitHelp()}`,
  );
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    command.exitOverride(mistakeOf(command)).configureHelp({ optionDescription }).showHelpAfterError(
      "(add --help for what is possible)",
    ).configureOutput({
      writeOut: (text) => json ? void (told += text) : wiring.stdout.write(text),
      writeErr: (text) => json || logged ? undefined : wiring.stderr.write(text),
      outputError: (text, write) => write(legible(wholeMistake(command, text), args)),
      getOutHasColors: () => wiring.stdout.isTerminal,
      getErrHasColors: () => wiring.stderr.isTerminal,
    });
  }
  try {
    await program.parseAsync(helpOfWhatExists(args, program), { from: "user" });
    return exitStatus.ok;
  } catch (error) {
    if (told !== "") { // commander writes help in pieces, and ends what it was asked for with an error
      const isVersion = isCommanderError(error) && error.code === "commander.version";
      wiring.stdout.write(isVersion ? told : JSON.stringify({ help: told }) + "\n");
    }
    if (logged) return logFatal(error, shownTo, args);
    return explain(error, shownTo, { json, args });
  }
}
