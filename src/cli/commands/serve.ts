import { Command } from "commander";
import { loadServeConfig } from "../../config/serve_config.ts";
import { findUnknownSettings } from "../../config/settings/unknown_settings.ts";
import type { Log } from "../../telemetry/log.ts";
import { captureConsole, openJsonLog, usesJsonLog } from "../output/serve_log.ts";
import type { CliContext } from "../context.ts";

export function serveCommand(context: CliContext): Command {
  return new Command("serve")
    .description("run the relayer")
    .option("--json", "print one JSON line when the relayer listens")
    .option("--quiet", "print only the log")
    .addHelpText(
      "after",
      "\nThe relayer is configured from the environment; `tonado config` shows every variable and its value.\n\n" +
        "Examples:\n  RELAYER_WALLET_MNEMONIC_FILE=/run/secrets/mnemonic tonado serve",
    )
    .action(async ({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const log = !json && usesJsonLog(["serve"], context)
        ? openJsonLog(context).getChild("serve")
        : undefined;
      const release = log && captureConsole(log, Deno.exit);
      try {
        await serveUntilStopped(context, { json: json || log !== undefined, quiet }, log);
      } finally {
        release?.();
      }
    });
}

async function serveUntilStopped(
  context: CliContext,
  { json, quiet }: { readonly json: boolean | undefined; readonly quiet: boolean | undefined },
  log: Log | undefined,
): Promise<void> {
  for (const line of findUnknownSettings(context.env)) {
    if (log) log.warning("{line}", { line });
    else context.stderr.write(`warning: ${line}\n`);
  }
  const config = loadServeConfig(context.env);
  const stopped = context.waitForShutdown();
  const relayer = await context.serve(config);
  const { network } = config;
  const { url, keys } = relayer;
  if (json && !(quiet && log)) context.stdout.write(JSON.stringify({ network, url, keys }) + "\n");
  else if (!json && !quiet) {
    context.stdout.write(`relayer of ${network} listens on ${url}\n`);
    context.stderr.write(`It verifies proofs with ${keys}.\n`);
  }
  log?.info("the relayer of {network} listens on {url} and verifies proofs with {keys}", {
    network,
    url,
    keys,
  });
  await stopped;
  await relayer.close();
}
