/** `tonado serve`: the relayer, configured from the environment, until it is told to end. */
import { Command } from "commander";
import { loadConfig } from "../config/config.ts";
import type { Wiring } from "./wiring.ts";

/** The command. */
export function serveCommand(wiring: Wiring): Command {
  return new Command("serve")
    .description("run the relayer")
    .addHelpText(
      "after",
      "\nThe relayer is configured from the environment; `tonado config` shows every variable and its value.\n\n" +
        "Examples:\n  RELAYER_WALLET_MNEMONIC_FILE=/run/secrets/mnemonic tonado serve",
    )
    .action(async () => {
      const config = loadConfig(wiring.env);
      const stopped = wiring.stopped();
      const relayer = await wiring.serve(config);
      wiring.stdout.write(`relayer of ${config.network} listens on ${relayer.url}\n`);
      wiring.stderr.write(`It verifies proofs with ${relayer.keys}.\n`);
      await stopped;
      await relayer.close();
    });
}
