import { type Command, Option } from "commander";
import { loadPayerConfig, loadWalletVersion } from "../../config/client_config.ts";
import { SettingsReader } from "../../config/settings/settings_reader.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Chain } from "../../ton/chain.ts";
import type { Wallet, WalletVersion } from "../../ton/wallet/wallet.ts";
import { formatFlags } from "./chain_options.ts";
import { printWarning } from "../output/print.ts";
import type { CliContext } from "../context.ts";

const NO_TERMINAL = "standard input is not a terminal";

export interface PayerOptions {
  readonly network: Network;
  readonly mnemonicFile?: string;
  readonly askMnemonic?: boolean;
  readonly walletVersion?: WalletVersion;
}

export function addPayerOptions(command: Command): Command {
  return command
    .option("--mnemonic-file <file>", "24 words of the wallet; default: TONADO_WALLET_MNEMONIC_FILE")
    .option("--ask-mnemonic", "prompt for the 24 words")
    .addOption(walletVersionOption());
}

export function walletVersionOption(
  help = "contract of the wallet; default: TONADO_WALLET_VERSION, or v4R2",
): Option {
  return new Option("--wallet-version <version>", help).choices(["v4R2", "v5R1"]);
}

export function formatPayerFlags(
  { mnemonicFile, askMnemonic, walletVersion }: Omit<PayerOptions, "network">,
): string {
  return formatFlags({
    "mnemonic-file": mnemonicFile,
    "ask-mnemonic": askMnemonic,
    "wallet-version": walletVersion,
  });
}

/** Undefined without a configured mnemonic. Throws `invalid_config`. */
export async function openPayerWallet(
  context: CliContext,
  options: PayerOptions,
  chain: Chain,
): Promise<Wallet | undefined> {
  const payer = options.askMnemonic
    ? await promptPayer(context, options)
    : loadPayerConfig(options, context.env);
  if (!payer) return undefined;
  const { mnemonic, version } = payer;
  const wallet = await context.openWallet(mnemonic, { version, network: options.network, chain });
  if (!wallet.checksumValid) {
    printWarning(context, "the mnemonic fails TON's checksum; check that this is the right wallet");
  }
  return wallet;
}

async function promptPayer(context: CliContext, options: PayerOptions) {
  const reader = new SettingsReader(context.env);
  const version = loadWalletVersion(options, reader)!;
  const mnemonic = await context.promptSecret("The wallet's 24 words");
  if (!mnemonic) reader.addError("--ask-mnemonic", NO_TERMINAL);
  reader.throwIfInvalid();
  return { mnemonic: mnemonic!, version };
}

export function assertCanConfirm(context: CliContext, { yes }: { yes?: boolean }): void {
  if (!yes && !context.isInteractive()) throw new Problem("confirmation_required", NO_TERMINAL);
}

export async function requireConfirmation(
  context: CliContext,
  { yes }: { yes?: boolean },
  question: string,
): Promise<void> {
  if (yes) return;
  const agreed = await context.promptConfirm(question);
  if (agreed) return;
  throw new Problem(
    "confirmation_required",
    agreed === undefined ? NO_TERMINAL : "the question was answered with no",
  );
}
