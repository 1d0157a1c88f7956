import { withNetworkCheck } from "../ton/endpoint/network_check.ts";
import { Command } from "commander";
import { assertUsableProxies } from "../config/settings/proxy_settings.ts";
import { describeBuild, formatVersion } from "./output/version_info.ts";
import { appCommand } from "./commands/app.ts";
import { ceremonyCommand } from "./commands/ceremony/command.ts";
import { completionsCommand } from "./commands/completions.ts";
import { complianceCommand } from "./commands/compliance.ts";
import { configCommand } from "./commands/config.ts";
import { demoCommand } from "./commands/demo/command.ts";
import { depositCommand } from "./commands/deposit/command.ts";
import { deployCommand } from "./commands/deploy/command.ts";
import { exitStatus, formatExitCodes } from "./output/exit_status.ts";
import { jsonNoticeOutput, reportError } from "./output/error_report.ts";
import { localnetCommand } from "./commands/localnet/command.ts";
import { noteCommand } from "./commands/note/command.ts";
import { poolCommand } from "./commands/pool/command.ts";
import { serveCommand } from "./commands/serve.ts";
import { logFatal, usesJsonLog } from "./output/serve_log.ts";
import { settleCommand } from "./commands/settle.ts";
import { statusCommand } from "./commands/status/command.ts";
import { snapshotCommand } from "./commands/snapshot.ts";
import { storeCommand } from "./commands/store/command.ts";
import { withSanitizedOutput } from "./output/sanitize.ts";
import {
  completeUsageMessage,
  isCommanderError,
  normalizeHelpArguments,
  optionDescription,
  redactArguments,
  throwUsageErrorOf,
  wrapHelp,
} from "./output/commander_messages.ts";
import { walletCommand } from "./commands/wallet.ts";
import { withdrawCommand } from "./commands/withdraw/command.ts";
import type { CliContext } from "./context.ts";
import { zerosCommand } from "./commands/zeros.ts";

const commands = [
  depositCommand,
  withdrawCommand,
  noteCommand,
  complianceCommand,
  walletCommand,
  statusCommand,
  appCommand,
  serveCommand,
  deployCommand,
  poolCommand,
  settleCommand,
  storeCommand,
  snapshotCommand,
  ceremonyCommand,
  localnetCommand,
  demoCommand,
  configCommand,
  zerosCommand,
  completionsCommand,
];

export function createProgram(context: CliContext, version: string): Command {
  const program = new Command("tonado")
    .description("fixed-denomination shielded pools on TON: the relayer and its tools")
    .version(version)
    .option("--verbose", "with --version: also print requirements and contents of this build");
  // Before any command connects.
  program.hook("preAction", () => assertUsableProxies(context.env));
  for (const make of commands) program.addCommand(make(context));
  return program;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Runs the program and returns its exit status; never throws. `args` lack the program's own name. */
export async function runCli(
  args: readonly string[],
  version: string,
  adapters: CliContext,
): Promise<number> {
  const json = args.includes("--json");
  const sanitized = withSanitizedOutput({
    ...adapters,
    connect: (network, endpoint) => withNetworkCheck(adapters.connect(network, endpoint), network),
  });
  const context = json ? { ...sanitized, stderr: jsonNoticeOutput(sanitized.stderr) } : sanitized;
  const logged = !json && usesJsonLog(args, sanitized);
  const facts = args.includes("--verbose") ? await describeBuild(context.runtime) : undefined;
  let shown = ""; // commander writes the help or the version in pieces and then throws
  const program = createProgram(context, formatVersion(version, facts, { json })).addHelpText(
    "after",
    "\nExamples:\n  tonado demo\n  tonado deposit native-10 --network mainnet\n" +
      `  tonado help withdraw\n${formatExitCodes()}`,
  );
  for (const command of withSubcommands(program)) {
    command.exitOverride(throwUsageErrorOf(command)).configureHelp({ optionDescription }).showHelpAfterError(
      "(add --help for usage)",
    ).configureOutput({
      writeOut: (text) => void (shown += text),
      writeErr: (text) => json || logged ? undefined : context.stderr.write(text),
      outputError: (text, write) => write(redactArguments(completeUsageMessage(command, text), args)),
      getOutHasColors: () => context.stdout.isTerminal,
      getErrHasColors: () => context.stderr.isTerminal,
    });
  }
  try {
    await program.parseAsync(normalizeHelpArguments(args, program), { from: "user" });
    return exitStatus.ok;
  } catch (error) {
    if (shown !== "") {
      const isVersion = isCommanderError(error) && error.code === "commander.version";
      const help = json ? `${JSON.stringify({ help: wrapHelp(shown) })}\n` : wrapHelp(shown);
      context.stdout.write(isVersion ? shown : help);
    }
    if (logged) return logFatal(error, sanitized, args);
    return reportError(error, sanitized, { json, args });
  }
}
