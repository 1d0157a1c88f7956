/** `tonado config`: the effective configuration, secrets redacted, and whether it is valid. */
import { Command } from "commander";
import { loadConfig } from "../config/config.ts";
import { describeConfig, type DescribedSetting } from "../config/describe.ts";
import { unknownSettings } from "../config/unknown_settings.ts";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import { counted } from "../core/units.ts";
import { colours } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** The command. */
export function configCommand(wiring: Wiring): Command {
  return new Command("config")
    .description("print the effective configuration of `serve`, secrets redacted, and check it")
    .option("--json", "print one JSON object")
    .option("--quiet", "print only what is wrong")
    .addHelpText("after", "\nExamples:\n  tonado config\n  RELAYER_PORT=9000 tonado config --json")
    .action(({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const settings = describeConfig(wiring.env);
      const unknown = unknownSettings(wiring.env);
      const problem = findProblem(wiring.env);
      const errors = problem?.errors ?? [];
      if (json) {
        const report = { settings, unknown, valid: problem === undefined, verdict: verdict(errors), errors };
        wiring.stdout.write(JSON.stringify(report, null, 2) + "\n");
      } else if (!quiet) printSettings(wiring, settings);
      for (const line of unknown) wiring.stderr.write(`warning: ${line}\n`);
      if (!json && !quiet) wiring.stdout.write(`${verdict(errors)}\n`);
      if (problem) throw problem; // its details follow on standard error
    });
}

function verdict(errors: readonly ProblemDetail[]): string {
  const names = [...new Set(errors.map(({ pointer }) => pointer))];
  if (names.length === 0) return "Configuration is valid: `tonado serve` can start.";
  return `${counted(names.length, "setting")} ${names.length === 1 ? "is" : "are"} invalid: ${
    names.join(", ")
  }`;
}

/** Returns the problem that lists every invalid setting, or undefined if there is none. */
function findProblem(env: Wiring["env"]): Problem | undefined {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_config") return error;
    throw error;
  }
}

function printSettings({ stdout, env }: Wiring, settings: readonly DescribedSetting[]): void {
  const c = colours(stdout, env);
  for (const { name, value, source, help } of settings) {
    stdout.write(`${c.bold(name)}=${value ?? ""} ${c.dim(`(${source})`)}\n  ${help}\n`);
  }
}
