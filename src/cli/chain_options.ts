/** Flags that every command about pools on a chain has, and how their values are read. */
import { Address } from "@ton/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Network, networks } from "../core/network.ts";
import { formatUnits } from "../core/units.ts";

/** Values of {@linkcode addChainOptions}. */
export interface ChainOptions {
  readonly network: Network;
  readonly endpoint?: string;
  readonly registry?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Adds them to `command`. */
export function addChainOptions(command: Command): Command {
  return command
    .addOption(new Option("--network <network>", "network of the pools").choices(networks).default("testnet"))
    .option("--endpoint <url>", "toncenter v2 endpoint; default: INDEXER_URL, or the network's public one")
    .option("--registry <file>", "deployments registry; default: deployments/<network>.json")
    .option("--json", "print JSON")
    .option("--quiet", "print only what must be known");
}

/** An address on the command line. */
export function addressArgument(text: string): Address {
  try {
    return Address.parse(text);
  } catch {
    throw new InvalidArgumentError("It must be a TON address.");
  }
}

/** An amount of a pool's asset for people. */
export function units(
  amount: bigint,
  { asset, decimals }: { readonly asset: string; readonly decimals?: number },
): string {
  return asset === "native" ? native(amount) : `${formatUnits(amount, decimals)} ${asset}`;
}

/** A pool's address as people write it. */
export function poolAddress(address: Address, network: Network): string {
  return address.toString({ bounceable: true, testOnly: network !== "mainnet" });
}

/** Nano native for people. */
export function native(nano: bigint): string {
  return `${formatUnits(nano)} TON`;
}
