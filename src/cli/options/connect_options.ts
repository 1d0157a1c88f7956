/** The flags that pay from a wallet on a phone, over TON Connect. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { WalletEntry, WalletPayer } from "../../client/tonconnect/bridge.ts";
import walletList from "../../client/tonconnect/wallets.json" with { type: "json" };
import { loadEndpoint } from "../../config/settings/settings_reader.ts";
import { Problem } from "../../core/errors/problem.ts";
import { withDeadline } from "../../core/time/deadline.ts";
import type { CliContext } from "../context.ts";
import type { PaymentView } from "../output/payment/payment_view.ts";
import { type ChainOptions, formatFlags } from "./chain_options.ts";
import type { PayerOptions } from "./payer_options.ts";
import { usageError } from "./usage_error.ts";

/** Seconds that a connected wallet has for a payment. */
export const REQUEST_SECONDS = 180;
const LOCAL_WALLET = "localnet";
/** The local network's wallet fetches no manifest. */
const LOCAL_MANIFEST = "https://localnet.invalid/tonconnect-manifest.json";

/** For the help of commands with these flags. */
export const MANIFEST_HELP = "The wallet downloads the manifest before it connects.\n" +
  "The manifest's server sees the phone's network address, so do not use a relayer's. The\n" +
  "wallet's bridge sees the addresses of this machine and of the phone.";

export interface ConnectFlags {
  readonly connect?: string;
  readonly manifest?: string;
}

export function addConnectOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--connect <wallet>", "pay with this wallet on a phone, over TON Connect")
        .choices([...walletList.wallets.map(({ id }) => id), LOCAL_WALLET]),
    )
    .option(
      "--manifest <url>",
      "with --connect: https address of a TON Connect manifest, which the wallet fetches",
      parseManifestUrl,
    );
}

export function formatConnectFlags({ connect, manifest }: ConnectFlags): string {
  return formatFlags({ connect, manifest });
}

/** The wallet to connect, and the manifest that it fetches. */
export interface ConnectTarget {
  readonly entry: WalletEntry;
  readonly manifestUrl: string;
}

/** Returns undefined without `--connect`. Throws `invalid_config`. Sends no request. */
export function findConnectTarget(
  { env }: Pick<CliContext, "env">,
  options: ChainOptions & PayerOptions & ConnectFlags,
): ConnectTarget | undefined {
  const { connect, manifest, network } = options;
  if (connect === undefined) {
    if (manifest !== undefined) throw usageError("--manifest", "needs --connect <wallet>");
    return undefined;
  }
  if (options.mnemonicFile !== undefined || options.askMnemonic) {
    throw usageError("--connect", "pays from a phone: omit --mnemonic-file and --ask-mnemonic");
  }
  const isLocal = connect === LOCAL_WALLET;
  if (isLocal !== (network === "localnet")) {
    throw usageError("--connect", `${connect} does not pay on ${network}`);
  }
  if (isLocal) {
    const { origin } = new URL(loadEndpoint(options, env).url);
    const entry = {
      id: connect,
      name: "the local wallet",
      link: `${origin}/wallet`,
      bridge: `${origin}/bridge`,
    };
    return { entry, manifestUrl: manifest ?? LOCAL_MANIFEST };
  }
  if (manifest === undefined) {
    throw usageError(
      "--manifest",
      "is required: wallets connect only if they can fetch a TON Connect manifest over https. " +
        "Use one of an app that you trust, not one of a relayer: its server sees the phone's network address",
    );
  }
  return { entry: walletList.wallets.find(({ id }) => id === connect)!, manifestUrl: manifest };
}

/** Shows the code and waits for the wallet. The caller disconnects it. Throws `wallet_unavailable` after `timeoutMs`. */
export async function connectPayer(
  context: Pick<CliContext, "connectWallet">,
  { entry, manifestUrl }: ConnectTarget,
  { network, view, signal, timeoutMs }: {
    readonly network: ChainOptions["network"];
    readonly view: PaymentView;
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  },
): Promise<WalletPayer> {
  const onTimeout = () =>
    new Problem("wallet_unavailable", `no wallet connected within ${timeoutMs / 60_000} minutes`, {
      hint: "Run the command again for a new code.",
    });
  const payer = await withDeadline(
    timeoutMs,
    { signal, onTimeout },
    (signal) =>
      context.connectWallet(entry, {
        manifestUrl,
        network,
        signal,
        onLink: (link) => view.showConnect(link, entry.name),
      }),
  );
  view.showConnected(payer);
  return payer;
}

function parseManifestUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && !url.username && !url.hash) return url.href;
  throw new InvalidArgumentError(
    "It must be an https address, like https://app.example/tonconnect-manifest.json.",
  );
}
