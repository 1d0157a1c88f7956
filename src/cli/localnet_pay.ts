/** `tonado localnet pay`: pays a transfer link from a local network's own wallet, as a phone would. */
import { Address, Cell, comment, loadStateInit } from "@ton/core";
import { Command } from "commander";
import { pause } from "../client/pause.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { Problem } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { isLoopback } from "../core/urls.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import { native } from "./chain_options.ts";
import { misuse } from "./misuse.ts";
import type { Wiring } from "./wiring.ts";

interface PayOptions {
  readonly endpoint?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Where `tonado localnet` listens by default. */
const DEFAULT_ENDPOINT = "http://127.0.0.1:8081/api/v2/jsonRPC";
const POLL_MS = 100;
const TIMEOUT_MS = 70_000;
/** Link parameters that are understood; any other could change what the payer means. */
const PARAMETERS = new Set(["amount", "bin", "text", "init"]);

/** The command. */
export function payCommand(wiring: Wiring): Command {
  return new Command("pay")
    .description("pay a transfer link, like that of `tonado deposit`, from the local network's first wallet")
    .argument("<link>", "ton://transfer/...; quote it: the shell interprets &")
    .option("--endpoint <url>", `endpoint of the local network; default: INDEXER_URL, or ${DEFAULT_ENDPOINT}`)
    .option("--json", "print JSON")
    .option("--quiet", "print only essential output")
    .addHelpText(
      "after",
      "\nThe wallet is the first that `tonado localnet` prints. To pay for a deposit of jettons, make its link with\n" +
        "`--from` and that wallet's address. Only endpoints on this machine are accepted.\n\n" +
        "Examples:\n  tonado localnet pay 'ton://transfer/kQ...?amount=1200000000&bin=te6cc...'\n" +
        "  tonado deposit native-1 --network localnet --quiet | xargs -n 1 tonado localnet pay",
    )
    .action((link: string, _: PayOptions, command: Command) =>
      // `localnet` has --json and --quiet, too, and commander hands them to the parent.
      pay(wiring, link, command.optsWithGlobals())
    );
}

async function pay(wiring: Wiring, link: string, options: PayOptions): Promise<void> {
  const message = parseTransferLink(link);
  const given = options.endpoint ?? (wiring.env.INDEXER_URL || DEFAULT_ENDPOINT);
  const { url, apiKey } = loadEndpoint({ network: "localnet", endpoint: given }, wiring.env);
  if (!isLoopback(new URL(url).hostname)) {
    throw misuse(
      options.endpoint === undefined ? "INDEXER_URL" : "--endpoint",
      `names ${new URL(url).host}, which is not this machine; only a local network is paid on`,
    );
  }
  const chain = wiring.connect("localnet", { url, apiKey });
  const { mnemonic, version } = await wiring.localWallet();
  const wallet = await wiring.openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
  const { seqno } = await wallet.send([message]);
  await included(wallet, seqno);
  const [from, to] = [wallet.format(), message.to.toString({ testOnly: true })];
  if (options.json) {
    wiring.stdout.write(JSON.stringify({ from, to, amount: String(message.value) }) + "\n");
  } else if (!options.quiet) {
    wiring.stdout.write(`paid ${native(message.value)}\n  from ${from}\n  to   ${to}\n`);
  }
}

/** Waits until the wallet has sent its transfer. @throws {Problem} `chain_unavailable` */
async function included(wallet: Wallet, seqno: number): Promise<void> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
    if (await wallet.seqno() > seqno) return;
    await pause(POLL_MS);
  }
  throw new Problem("chain_unavailable", "the local network has not included the payment");
}

/** Reads `ton://transfer/<address>?amount=<nano>&bin=<body>`. @throws {Problem} `invalid_config` */
export function parseTransferLink(link: string): OutgoingMessage {
  const [, address, query] = /^ton:\/\/transfer\/([^/?#]+)\?([^#]*)$/.exec(link.trim()) ?? [];
  if (address === undefined) throw misuse("link", "is not a ton://transfer link with an amount");
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    throw misuse("link", `has the parameter ${JSON.stringify(unknown)}, which is not supported`);
  }
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = parameters.get(name);
    if (text === null) return undefined;
    try {
      return parse(text);
    } catch {
      throw misuse("link", `has a malformed ${name}`);
    }
  };
  const amount = parameters.get("amount") ?? "";
  if (!/^[0-9]{1,20}$/.test(amount) || BigInt(amount) === 0n) throw misuse("link", "has no amount in nano");
  let to: Address;
  try {
    to = Address.parse(address);
  } catch {
    throw misuse("link", "has a malformed address");
  }
  const body = read("bin", cellOf) ?? read("text", comment);
  const init = read("init", (text) => loadStateInit(cellOf(text).beginParse()));
  const bounce = Address.isFriendly(address) ? Address.parseFriendly(address).isBounceable : true;
  return { to, value: BigInt(amount), bounce, ...body && { body }, ...init && { init } };
}

/** Links carry base64url, and some base64, whose "+" a query string turns into a space. */
function cellOf(text: string): Cell {
  return Cell.fromBase64(text.replaceAll("-", "+").replaceAll("_", "/").replaceAll(" ", "+"));
}
