/** Flags that every command about pools on a chain has, and how their values are read. */
import { Address } from "@ton/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Problem } from "../core/errors.ts";
import { type Network, networks } from "../core/network.ts";
import { formatAmount, parseUnits } from "../core/units.ts";
import { relayerUrl, shownUrl } from "../core/urls.ts";

/** Values of {@linkcode addChainOptions}. */
export interface ChainOptions {
  readonly network: Network;
  readonly endpoint?: string;
  readonly registry?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * Adds them to `command`.
 *
 * @param registry which one it is without the flag
 * @param networkOf what determines the network without the flag; default: it is testnet
 */
export function addChainOptions(
  command: Command,
  { registry = "this release's", networkOf }: { registry?: string; networkOf?: string } = {},
): Command {
  const network = networkOf === undefined
    ? new Option("--network <network>", "network of the pools").choices(networks).default("testnet")
    : new Option("--network <network>", `network of the pools; default: ${networkOf}`).choices(networks);
  return command
    .addOption(network)
    .option("--endpoint <url>", "toncenter v2 endpoint; default: INDEXER_URL, or the network's public one")
    .option("--registry <file>", `deployments registry; default: ${registry}`)
    .option("--json", "print JSON")
    .option("--quiet", "print only essential output")
    .hook("preAction", (_, action) => assertOfNetwork(action.opts()));
}

/** Flags that make another command speak of the same pools and notes. */
export function sameFlags(
  { network, endpoint, registry, notes }: Pick<ChainOptions, "network" | "endpoint" | "registry"> & {
    readonly notes?: string;
  },
): string {
  return flagsOf({ network, endpoint: endpoint && shownUrl(endpoint), registry, notes });
}

/** Flags as they are typed, those that are set; of a list one for each. */
export function flagsOf(
  values: Readonly<Record<string, string | readonly string[] | boolean | undefined>>,
): string {
  const flag = (name: string, value: string | boolean) =>
    value === true ? [`--${name}`] : value === false ? [] : [`--${name} ${word(value)}`];
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : typeof value === "object"
      ? value.flatMap((each) => flag(name, each))
      : flag(name, value)
  ).join(" ");
}

/** As a shell takes it for one word. */
function word(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** More than any asset has. */
const MOST_DECIMALS = 80;

/** An amount on the command line; how many places it may have is the asset's to say. */
export function amountArgument(text: string): string {
  try {
    parseUnits(text, MOST_DECIMALS);
  } catch {
    throw new InvalidArgumentError("It must be a plain decimal number of whole units, like 10 or 0.5.");
  }
  return text;
}

/** A relayer on the command line, one of several. @throws {Problem} `invalid_config` */
export function relayersArgument(text: string, all: readonly string[] = []): readonly string[] {
  return [...all, relayerArgument(text)];
}

/** A relayer on the command line. @throws {Problem} `invalid_config` */
export function relayerArgument(text: string): string {
  return relayerUrl(text, "--relayer");
}

/** An address as it was typed. */
class GivenAddress extends Address {
  readonly #text: string; // an Address is frozen, but for what is private

  constructor({ workChain, hash }: Address, text: string) {
    super(workChain, hash);
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** It says so itself. */
  get isTestOnly(): boolean {
    return Address.isFriendly(this.text) && Address.parseFriendly(this.text).isTestOnly;
  }
}

/** An address on the command line; {@linkcode addChainOptions} refuses those of test networks on mainnet. */
export function addressArgument(text: string): Address {
  try {
    return new GivenAddress(Address.parse(text), text);
  } catch {
    throw new InvalidArgumentError("It must be a TON address.");
  }
}

/** @throws {Problem} `invalid_address` */
export function assertOfNetwork({ network, ...values }: Record<string, unknown>): void {
  for (const given of Object.values(values)) {
    if (network !== "mainnet" || !(given instanceof GivenAddress) || !given.isTestOnly) continue;
    throw new Problem("invalid_address", `${given.text} is an address for test networks only`, {
      todo: "Give one of mainnet, or another --network.",
    });
  }
}

/** A pool's address as people write it. */
export function poolAddress(address: Address, network: Network): string {
  return address.toString({ bounceable: true, testOnly: network !== "mainnet" });
}

/** Nano native for people. */
export function native(nano: bigint): string {
  return formatAmount(nano, { asset: "native" });
}
