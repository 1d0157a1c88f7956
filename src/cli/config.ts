/** `tonado config`: the effective configuration, secrets redacted, and what is wrong with it. */
import { Command } from "commander";
import { loadConfig } from "../config/config.ts";
import { describeConfig, type DescribedSetting } from "../config/describe.ts";
import { unknownSettings } from "../config/unknown_settings.ts";
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
      if (json) wiring.stdout.write(JSON.stringify({ settings, unknown }, null, 2) + "\n");
      else if (!quiet) printSettings(wiring, settings);
      for (const line of unknown) wiring.stderr.write(`warning: ${line}\n`);
      loadConfig(wiring.env); // what is wrong is told after what is set
    });
}

function printSettings({ stdout, env }: Wiring, settings: readonly DescribedSetting[]): void {
  const c = colours(stdout, env);
  for (const { name, value, source, help } of settings) {
    stdout.write(`${c.bold(name)}=${value ?? ""} ${c.dim(`(${source})`)}\n  ${help}\n`);
  }
}
