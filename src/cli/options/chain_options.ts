import { Address } from "@ton/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Problem } from "../../core/errors/problem.ts";
import { type Network, networks } from "../../core/protocol/network.ts";
import { parseUnits } from "../../core/protocol/units.ts";
import { parseRelayerUrl, redactUrl } from "../../core/text/urls.ts";
import { findRegistry } from "../../config/deployments_registry.ts";
import { MAX_REQUESTS_PER_SECOND } from "../../config/settings/serve_settings.ts";
import { loadEndpoint } from "../../config/settings/settings_reader.ts";
import type { Deployments } from "../../core/protocol/deployments.ts";
import type { Chain } from "../../ton/chain.ts";
import type { CliContext } from "../context.ts";
import { integerArgument } from "./integer_argument.ts";
import { addOutputOptions, type OutputOptions } from "../output/print.ts";

export interface ChainOptions extends OutputOptions {
  readonly network: Network;
  readonly endpoint?: string;
  readonly requestsPerSecond?: number;
  readonly registry?: string;
}

/** `networkOf` describes what determines the network without the flag (default: testnet). */
export function addChainOptions(
  command: Command,
  { registry = "this release's", networkOf }: { registry?: string; networkOf?: string } = {},
): Command {
  const network = networkOf === undefined
    ? new Option("--network <network>", "network of the pools").choices(networks).default("testnet")
    : new Option("--network <network>", `network of the pools; default: ${networkOf}`).choices(networks);
  command
    .addOption(network)
    .option("--endpoint <url>", "toncenter v2 endpoint; default: INDEXER_URL, or the network's public one")
    .option(
      "--requests-per-second <n>",
      "limit for the endpoint, 0: none; default: INDEXER_REQUESTS_PER_SECOND",
      integerArgument(0, MAX_REQUESTS_PER_SECOND),
    )
    .option("--registry <file>", `deployments registry; default: ${registry}`)
    .hook("preAction", (_, action) => assertAddressesOfNetwork(action.opts()));
  return addOutputOptions(command);
}

/** Sends no request. */
export async function openChain(
  { env, connect }: Pick<CliContext, "env" | "connect">,
  options: ChainOptions,
): Promise<{ readonly chain: Chain; readonly registry: Deployments }> {
  const chain = connect(options.network, loadEndpoint(options, env));
  return { chain, registry: await findRegistry(options.network, options.registry) };
}

export function formatChainFlags(
  { network, endpoint, requestsPerSecond, registry, notes }:
    & Pick<ChainOptions, "network" | "endpoint" | "requestsPerSecond" | "registry">
    & { readonly notes?: string },
): string {
  return formatFlags({
    network,
    endpoint: endpoint && redactUrl(endpoint),
    "requests-per-second": requestsPerSecond?.toString(),
    registry,
    notes,
  });
}

export function formatFlags(
  values: Readonly<Record<string, string | readonly string[] | boolean | undefined>>,
): string {
  const flag = (name: string, value: string | boolean) =>
    value === true ? [`--${name}`] : value === false ? [] : [`--${name} ${quoteForShell(value)}`];
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : typeof value === "object"
      ? value.flatMap((each) => flag(name, each))
      : flag(name, value)
  ).join(" ");
}

function quoteForShell(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const MAX_DECIMALS = 80;

/** The asset determines later how many decimal places are valid. */
export function parseAmountArgument(text: string): string {
  try {
    parseUnits(text, MAX_DECIMALS);
  } catch {
    throw new InvalidArgumentError("It must be a plain decimal number of whole units, like 10 or 0.5.");
  }
  return text;
}

export function collectRelayerArguments(text: string, all: readonly string[] = []): readonly string[] {
  return [...all, parseRelayerArgument(text)];
}

export function parseRelayerArgument(text: string): string {
  return parseRelayerUrl(text, "--relayer");
}

class AddressArgument extends Address {
  readonly #text: string; // private, because an Address is frozen

  constructor({ workChain, hash }: Address, text: string) {
    super(workChain, hash);
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  get isTestOnly(): boolean {
    return Address.isFriendly(this.text) && Address.parseFriendly(this.text).isTestOnly;
  }
}

/** {@linkcode addChainOptions} rejects test addresses on mainnet. */
export function parseAddressArgument(text: string): Address {
  try {
    return new AddressArgument(Address.parse(text), text);
  } catch {
    throw new InvalidArgumentError("It must be a TON address.");
  }
}

export function assertAddressesOfNetwork({ network, ...values }: Record<string, unknown>): void {
  for (const given of Object.values(values)) {
    if (network !== "mainnet" || !(given instanceof AddressArgument) || !given.isTestOnly) continue;
    throw new Problem("invalid_address", `${given.text} is an address for test networks only`, {
      hint: "Give one of mainnet, or another --network.",
    });
  }
}

export function formatPoolAddress(address: Address, network: Network): string {
  return address.toString({ bounceable: true, testOnly: network !== "mainnet" });
}
