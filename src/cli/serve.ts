/** `tonado serve`: the relayer, configured from the environment, until it is told to end. */
import { Command } from "commander";
import { loadConfig } from "../config/config.ts";
import { unknownSettings } from "../config/unknown_settings.ts";
import type { Log } from "../telemetry/log.ts";
import { captureConsole, jsonLog, logsJson } from "./serve_log.ts";
import type { Wiring } from "./wiring.ts";

/** The command. */
export function serveCommand(wiring: Wiring): Command {
  return new Command("serve")
    .description("run the relayer")
    .option("--json", "print one JSON line when it listens")
    .option("--quiet", "print nothing but its log")
    .addHelpText(
      "after",
      "\nThe relayer is configured from the environment; `tonado config` shows every variable and its value.\n\n" +
        "Examples:\n  RELAYER_WALLET_MNEMONIC_FILE=/run/secrets/mnemonic tonado serve",
    )
    .action(async ({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const log = !json && logsJson(["serve"], wiring) ? jsonLog(wiring).getChild("serve") : undefined;
      const release = log && captureConsole(log, Deno.exit);
      try {
        await serveUntilStopped(wiring, { json: json || log !== undefined, quiet }, log);
      } finally {
        release?.();
      }
    });
}

async function serveUntilStopped(
  wiring: Wiring,
  { json, quiet }: { readonly json: boolean | undefined; readonly quiet: boolean | undefined },
  log: Log | undefined,
): Promise<void> {
  for (const line of unknownSettings(wiring.env)) {
    if (log) log.warning("{line}", { line });
    else wiring.stderr.write(`warning: ${line}\n`);
  }
  const config = loadConfig(wiring.env);
  const stopped = wiring.stopped();
  const relayer = await wiring.serve(config);
  const { network } = config;
  const { url, keys } = relayer;
  if (json && !(quiet && log)) wiring.stdout.write(JSON.stringify({ network, url, keys }) + "\n");
  else if (!json && !quiet) {
    wiring.stdout.write(`relayer of ${network} listens on ${url}\n`);
    wiring.stderr.write(`It verifies proofs with ${keys}.\n`);
  }
  log?.info("the relayer of {network} listens on {url} and verifies proofs with {keys}", {
    network,
    url,
    keys,
  });
  await stopped;
  await relayer.close();
}
