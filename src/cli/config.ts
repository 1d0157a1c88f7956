/** `tonado config`: the effective configuration, secrets redacted. */
import { Command } from "commander";
import { describeConfig } from "../config/describe.ts";
import { colours } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** The command. */
export function configCommand(wiring: Wiring): Command {
  return new Command("config")
    .description("print the effective configuration of `serve`, secrets redacted")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExamples:\n  tonado config\n  RELAYER_PORT=9000 tonado config --json")
    .action(({ json }: { json?: boolean }) => {
      const settings = describeConfig(wiring.env);
      if (json) return wiring.stdout.write(JSON.stringify({ settings }, null, 2) + "\n");
      const c = colours(wiring.stdout, wiring.env);
      for (const { name, value, source, help } of settings) {
        wiring.stdout.write(`${c.bold(name)}=${value ?? ""} ${c.dim(`(${source})`)}\n  ${help}\n`);
      }
    });
}
