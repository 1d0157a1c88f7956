import { Command } from "commander";
import { loadServeConfig } from "../../config/serve_config.ts";
import { describeConfig, type DescribedSetting } from "../../config/describe_config.ts";
import { findUnknownSettings } from "../../config/settings/unknown_settings.ts";
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { colours } from "../output/progress.ts";
import type { CliContext } from "../context.ts";

export function configCommand(context: CliContext): Command {
  return new Command("config")
    .description("print the effective configuration of `serve`, secrets redacted, and check it")
    .option("--json", "print one JSON object")
    .option("--quiet", "print only errors and warnings")
    .addHelpText("after", "\nExamples:\n  tonado config\n  RELAYER_PORT=9000 tonado config --json")
    .action(({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const settings = describeConfig(context.env);
      const unknown = findUnknownSettings(context.env);
      const problem = findProblem(context.env);
      const errors = problem?.errors ?? [];
      if (json) {
        const report = { settings, unknown, valid: problem === undefined, verdict: verdict(errors), errors };
        context.stdout.write(JSON.stringify(report, null, 2) + "\n");
      } else if (!quiet) printSettings(context, settings);
      for (const line of unknown) context.stderr.write(`warning: ${line}\n`);
      if (!json && !quiet) context.stdout.write(`${verdict(errors)}\n`);
      if (problem) throw problem; // its details follow on standard error
    });
}

function verdict(errors: readonly ProblemDetail[]): string {
  const names = [...new Set(errors.map(({ pointer }) => pointer))];
  if (names.length === 0) return "Configuration is valid: `tonado serve` can start.";
  return `${pluralize(names.length, "setting")} ${names.length === 1 ? "is" : "are"} invalid: ${
    names.join(", ")
  }`;
}

function findProblem(env: CliContext["env"]): Problem | undefined {
  try {
    loadServeConfig(env);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_config") return error;
    throw error;
  }
}

function printSettings({ stdout, env }: CliContext, settings: readonly DescribedSetting[]): void {
  const c = colours(stdout, env);
  for (const { name, value, source, help } of settings) {
    stdout.write(`${c.bold(name)}=${value ?? ""} ${c.dim(`(${source})`)}\n  ${help}\n`);
  }
}
