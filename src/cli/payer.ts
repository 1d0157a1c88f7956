/** Flags that say whose wallet pays, and how its words are come by: a file, a variable or a prompt, never the command line. */
import { type Command, Option } from "commander";
import { loadPayer, loadWalletVersion } from "../config/client_config.ts";
import { Reader } from "../config/tool_config.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet, WalletVersion } from "../ton/wallet.ts";
import { flagsOf } from "./chain_options.ts";
import { colours } from "./style.ts";
import type { Wiring } from "./wiring.ts";

const NOBODY = "there is no terminal to ask at";

/** Values of {@linkcode addPayerOptions}. */
export interface PayerOptions {
  readonly network: Network;
  readonly mnemonicFile?: string;
  readonly askMnemonic?: boolean;
  readonly walletVersion?: WalletVersion;
}

/** Adds them to `command`. */
export function addPayerOptions(command: Command): Command {
  return command
    .option("--mnemonic-file <file>", "24 words of the wallet; default: TONADO_WALLET_MNEMONIC_FILE")
    .option("--ask-mnemonic", "ask for the words")
    .addOption(
      new Option("--wallet-version <version>", "its contract; default: TONADO_WALLET_VERSION, or v4R2")
        .choices(["v4R2", "v5R1"]),
    );
}

/** Flags that make another command ask for the same wallet. */
export function payerFlags(
  { mnemonicFile, askMnemonic, walletVersion }: Omit<PayerOptions, "network">,
): string {
  return flagsOf({
    "mnemonic-file": mnemonicFile,
    "ask-mnemonic": askMnemonic,
    "wallet-version": walletVersion,
  });
}

/** The wallet whose words are at hand, or undefined. @throws {Problem} `invalid_config` */
export async function openPayer(
  wiring: Wiring,
  options: PayerOptions,
  chain: Chain,
): Promise<Wallet | undefined> {
  const payer = options.askMnemonic ? await asked(wiring, options) : loadPayer(options, wiring.env);
  if (!payer) return undefined;
  const { mnemonic, version } = payer;
  const wallet = await wiring.openWallet(mnemonic, { version, network: options.network, chain });
  if (!wallet.checksumHolds) {
    const mark = colours(wiring.stderr, wiring.env).yellow("warning");
    wiring.stderr.write(
      `${mark}: the mnemonic does not pass TON's checksum: is this the wallet that you mean?\n`,
    );
  }
  return wallet;
}

async function asked(wiring: Wiring, options: PayerOptions) {
  const reader = new Reader(wiring.env);
  const version = loadWalletVersion(options, reader)!;
  const mnemonic = await wiring.askSecret("The wallet's 24 words");
  if (!mnemonic) reader.wrong("--ask-mnemonic", NOBODY);
  reader.finish();
  return { mnemonic: mnemonic!, version };
}

/** Before anything is asked of others for a question's sake. @throws {Problem} `unconfirmed` when nobody can be asked */
export function mustBeAskable(wiring: Wiring, { yes }: { yes?: boolean }): void {
  if (!yes && !wiring.canAsk()) throw new Problem("unconfirmed", NOBODY);
}

/** @throws {Problem} `unconfirmed` unless the person agrees, or `--yes` was given */
export async function mustAgree(wiring: Wiring, { yes }: { yes?: boolean }, question: string): Promise<void> {
  if (yes) return;
  const agreed = await wiring.agrees(question);
  if (agreed) return;
  throw new Problem("unconfirmed", agreed === undefined ? NOBODY : "not agreed to");
}
