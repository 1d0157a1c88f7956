import { Command, Option } from "commander";
import { Problem } from "../../../core/errors/problem.ts";
import { type DemoAsset, type DemoPool, demoPools } from "./events.ts";
import { jsonPrinter, textPrinter } from "./view.ts";
import { runDemo } from "./scenario.ts";
import type { CliContext } from "../../context.ts";

interface DemoCommandOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly asset: DemoAsset;
  readonly pool?: DemoPool;
}

export function demoCommand(context: CliContext): Command {
  return new Command("demo")
    .description("run three deposits and a relayed withdrawal on a local network, in under a minute")
    .addOption(
      new Option("--asset <asset>", "asset of the notes: the native coin, or the network's jetton")
        .choices(["native", "jetton"]).default("native"),
    )
    .addOption(
      new Option(
        "--pool <key>",
        "pool of the demo; with version 2 (-v2): three deposits without proofs, a settlement, two withdrawals in one message",
      ).choices(demoPools).conflicts("asset"),
    )
    .option("--json", "print one JSON object per line")
    .option("--quiet", "print nothing; the exit code says whether every step succeeded")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado demo\n  tonado demo --asset jetton\n  tonado demo --pool native-10-v2\n  tonado demo --json | jq .event",
    )
    .action(async ({ json, quiet, ...notes }: DemoCommandOptions) => {
      const show = json ? jsonPrinter(context) : quiet ? () => {} : textPrinter(context);
      const interrupted = context.waitForShutdown().then(() => {
        throw new Problem("cancelled");
      });
      const dataDir = await context.makeTempDir();
      try {
        await Promise.race([runDemo(context, dataDir, show, notes), interrupted]);
      } finally {
        await context.removeDir(dataDir);
      }
    });
}
