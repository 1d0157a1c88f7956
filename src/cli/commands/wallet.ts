import { Command, Option } from "commander";
import { loadEndpoint } from "../../config/settings/settings_reader.ts";
import { type Network, networks } from "../../core/protocol/network.ts";
import type { Chain } from "../../ton/chain.ts";
import { generateMnemonic } from "../../ton/wallet/mnemonic.ts";
import type { WalletVersion } from "../../ton/wallet/wallet.ts";
import { addChainOptions, type ChainOptions } from "../options/chain_options.ts";
import { formatNative } from "../../core/protocol/units.ts";
import {
  addPayerOptions,
  openPayerWallet,
  type PayerOptions,
  walletVersionOption,
} from "../options/payer_options.ts";
import { usageError } from "../options/usage_error.ts";
import type { CliContext } from "../context.ts";
import { type OutputOptions, printResult } from "../output/print.ts";

interface CreateWalletOptions extends OutputOptions {
  readonly network: Network;
  readonly walletVersion: WalletVersion;
}

export function walletCommand(context: CliContext): Command {
  const show = addChainOptions(addPayerOptions(new Command("show")))
    .description("show the address and balance of a wallet")
    .addHelpText("after", "\nExamples:\n  tonado wallet show --mnemonic-file wallet.txt --network mainnet")
    .action((options: ChainOptions & PayerOptions) => showWallet(context, options));
  const create = new Command("create")
    .description("create a mnemonic of 24 words and write it to a new file that only you can read")
    .argument("<file>")
    .addOption(
      new Option("--network <network>", "network of the address").choices(networks).default("testnet"),
    )
    .addOption(walletVersionOption("its contract").default("v4R2"))
    .option("--json", "print JSON")
    .option("--quiet", "print only the address")
    .addHelpText(
      "after",
      "\nAnyone with the words can spend the money, and the file is not encrypted: keep it private.\n\n" +
        "Examples:\n  tonado wallet create wallet.txt --network testnet",
    )
    .action((file: string, options: CreateWalletOptions) => createWallet(context, file, options));
  return new Command("wallet").description("create and show the wallets that pay").addCommand(show)
    .addCommand(create)
    .addHelpText(
      "after",
      "\nExamples:\n  tonado wallet create wallet.txt\n  tonado wallet show --mnemonic-file wallet.txt",
    );
}

async function showWallet(context: CliContext, options: ChainOptions & PayerOptions): Promise<void> {
  const chain = context.connect(options.network, loadEndpoint(options, context.env));
  const wallet = await openPayerWallet(context, options, chain);
  if (!wallet) throw usageError("--mnemonic-file", "is required, unless --ask-mnemonic is given");
  const balance = await wallet.balance();
  const { network } = options;
  const address = wallet.format();
  if (options.quiet && !options.json) return context.stdout.write(`${address}\n`);
  const members = { network, address, version: wallet.version, balance: String(balance) };
  printResult(context, options, members, `${address}  ${wallet.version}  ${formatNative(balance)}`);
}

async function createWallet(context: CliContext, file: string, options: CreateWalletOptions): Promise<void> {
  const { network, walletVersion: version, json, quiet } = options;
  const mnemonic = await generateMnemonic();
  // The address depends only on the key.
  const { format } = await context.openWallet(mnemonic, { version, network, chain: {} as Chain });
  await context.writeNewFile(file, ReadableStream.from([new TextEncoder().encode(`${mnemonic.reveal()}\n`)]));
  const address = format();
  if (quiet && !json) return context.stdout.write(`${address}\n`);
  const text = `${address}  ${version}\nThe mnemonic is in ${file}. Anyone who reads it can spend the money.`;
  printResult(context, options, { network, address, version, file }, text);
}
