/** `tonado wallet`: the address and balance of a wallet's words, and new words. */
import { Command, Option } from "commander";
import { loadEndpoint } from "../config/tool_config.ts";
import { type Network, networks } from "../core/network.ts";
import type { Chain } from "../ton/chain.ts";
import { newMnemonic } from "../ton/mnemonic.ts";
import type { WalletVersion } from "../ton/wallet.ts";
import { addChainOptions, type ChainOptions, native } from "./chain_options.ts";
import { addPayerOptions, openPayer, type PayerOptions } from "./payer.ts";
import { misuse } from "./misuse.ts";
import type { Wiring } from "./wiring.ts";

interface NewOptions {
  readonly network: Network;
  readonly walletVersion: WalletVersion;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command and its two. */
export function walletCommand(wiring: Wiring): Command {
  const show = addChainOptions(addPayerOptions(new Command("show")))
    .description("the address and the balance of a wallet's words")
    .addHelpText("after", "\nExamples:\n  tonado wallet show --mnemonic-file wallet.txt --network mainnet")
    .action((options: ChainOptions & PayerOptions) => showWallet(wiring, options));
  const create = new Command("create")
    .description("make 24 new words, and write them into a new file that only its owner may read")
    .argument("<file>")
    .addOption(
      new Option("--network <network>", "network of the address").choices(networks).default("testnet"),
    )
    .addOption(
      new Option("--wallet-version <version>", "its contract").choices(["v4R2", "v5R1"]).default("v4R2"),
    )
    .option("--json", "print JSON")
    .option("--quiet", "print only the address")
    .addHelpText(
      "after",
      "\nThe words are the money, and the file holds them as they are: keep it where nobody else reads.\n\n" +
        "Examples:\n  tonado wallet create wallet.txt --network testnet",
    )
    .action((file: string, options: NewOptions) => createWallet(wiring, file, options));
  return new Command("wallet").description("the wallets that pay").addCommand(show).addCommand(create)
    .addHelpText(
      "after",
      "\nExamples:\n  tonado wallet create wallet.txt\n  tonado wallet show --mnemonic-file wallet.txt",
    );
}

async function showWallet(wiring: Wiring, options: ChainOptions & PayerOptions): Promise<void> {
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const wallet = await openPayer(wiring, options, wiring.connect(options.network, { url, apiKey }));
  if (!wallet) {
    throw misuse("--mnemonic-file", "is required, or --ask-mnemonic");
  }
  const balance = await wallet.balance();
  const { network, json, quiet } = options;
  const address = wallet.format();
  const { stdout } = wiring;
  if (json) {
    stdout.write(
      JSON.stringify({ network, address, version: wallet.version, balance: String(balance) }) + "\n",
    );
  } else stdout.write(quiet ? `${address}\n` : `${address}  ${wallet.version}  ${native(balance)}\n`);
}

async function createWallet(wiring: Wiring, file: string, options: NewOptions): Promise<void> {
  const { network, walletVersion: version, json, quiet } = options;
  const mnemonic = await newMnemonic();
  // An address is made of the key alone: nothing is asked.
  const { format } = await wiring.openWallet(mnemonic, { version, network, chain: {} as Chain });
  await wiring.writeStream(file, ReadableStream.from([new TextEncoder().encode(`${mnemonic.reveal()}\n`)]));
  const address = format();
  if (json) return wiring.stdout.write(JSON.stringify({ network, address, version, file }) + "\n");
  wiring.stdout.write(quiet ? `${address}\n` : `${address}  ${version}\nits words are in ${file}\n`);
}
