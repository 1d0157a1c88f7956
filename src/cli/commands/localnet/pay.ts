import { Address, comment } from "@ton/core";
import { formatNative } from "../../../core/protocol/units.ts";
import { Command } from "commander";
import { loadEndpoint } from "../../../config/settings/settings_reader.ts";
import { Secret } from "../../../core/text/secret.ts";
import { isLoopbackHost } from "../../../core/text/urls.ts";
import { confirmTransfer } from "../../../ton/wallet/transfer_inclusion.ts";
import type { OutgoingMessage } from "../../../ton/wallet/wallet.ts";

import { usageError } from "../../options/usage_error.ts";
import type { CliContext } from "../../context.ts";
import { type OutputOptions, printResult } from "../../output/print.ts";

interface PayOptions extends OutputOptions {
  readonly endpoint?: string;
}

const DEFAULT_ENDPOINT = "http://127.0.0.1:8081/api/v2/jsonRPC";
const POLL_INTERVAL_MS = 100;
/** An unknown parameter could change the meaning of the link. */
const KNOWN_PARAMETERS = new Set(["amount", "text"]);

export function localnetPayCommand(context: CliContext): Command {
  return new Command("pay")
    .description("pay the link of a native version 2 deposit from the local network's first wallet")
    .argument("<link>", "ton://transfer/...; quote it: the shell interprets &")
    .option("--endpoint <url>", `endpoint of the local network; default: INDEXER_URL, or ${DEFAULT_ENDPOINT}`)
    .option("--json", "print JSON")
    .option("--quiet", "print only essential output")
    .addHelpText(
      "after",
      "\nThe wallet is the first that `tonado localnet` prints. Only endpoints on this machine are accepted. Other pools\n" +
        "are paid with `tonado deposit --connect localnet`, whose link connects this wallet when it is opened.\n\n" +
        "Examples:\n  tonado localnet pay 'ton://transfer/kQ...?amount=10000000000&text=tonado...'\n" +
        "  tonado deposit native-10-v2 --network localnet --quiet | xargs -n 1 tonado localnet pay",
    )
    .action((link: string, _: PayOptions, command: Command) =>
      // `localnet` has --json and --quiet too, and commander passes them to the parent.
      payLink(context, link, command.optsWithGlobals())
    );
}

async function payLink(context: CliContext, link: string, options: PayOptions): Promise<void> {
  const message = parseTransferLink(link);
  const given = options.endpoint ?? (context.env.INDEXER_URL || DEFAULT_ENDPOINT);
  const endpoint = loadEndpoint({ network: "localnet", endpoint: given }, context.env);
  const { url } = endpoint;
  if (!isLoopbackHost(new URL(url).hostname)) {
    throw usageError(
      options.endpoint === undefined ? "INDEXER_URL" : "--endpoint",
      `names ${new URL(url).host}, which is not this machine; only a local network is paid on`,
    );
  }
  const chain = context.connect("localnet", endpoint);
  const { mnemonic, version } = await context.localnetWallet();
  const wallet = await context.openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
  const transfer = await wallet.send([message]);
  await confirmTransfer(chain, wallet, transfer, { pollIntervalMs: POLL_INTERVAL_MS });
  const [from, to] = [wallet.format(), message.to.toString({ testOnly: true })];
  const text = `paid ${formatNative(message.value)}\n  from ${from}\n  to   ${to}`;
  printResult(context, options, { from, to, amount: String(message.value) }, text);
}

/** Parses `ton://transfer/<address>?amount=<nano>&text=<comment>`. Throws `invalid_config`. */
export function parseTransferLink(link: string): OutgoingMessage {
  const [, address, query] = /^ton:\/\/transfer\/([^/?#]+)\?([^#]*)$/.exec(link.trim()) ?? [];
  if (address === undefined) throw usageError("link", "is not a ton://transfer link with an amount");
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !KNOWN_PARAMETERS.has(name));
  if (unknown !== undefined) {
    throw usageError("link", `has the parameter ${JSON.stringify(unknown)}, which is not supported`);
  }
  const amount = parameters.get("amount") ?? "";
  if (!/^[0-9]{1,20}$/.test(amount) || BigInt(amount) === 0n) {
    throw usageError("link", "has no amount in nano");
  }
  let to: Address;
  try {
    to = Address.parse(address);
  } catch {
    throw usageError("link", "has a malformed address");
  }
  const text = parameters.get("text");
  const bounce = Address.isFriendly(address) ? Address.parseFriendly(address).isBounceable : true;
  return { to, value: BigInt(amount), bounce, ...text && { body: comment(text) } };
}
