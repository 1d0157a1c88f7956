/** The version of the network's rules (config parameter 8). */
import type { CallOptions, Chain } from "./chain.ts";

/**
 * The contracts use the address instructions, and jetton pools the bounces with the whole body, that TVM has since this
 * version (ton-blockchain/ton, doc/GlobalVersions.md).
 */
export const MIN_NETWORK_VERSION = 12;
const GLOBAL_VERSION_PARAM = 8;
const TAG_BITS = 8;

export async function fetchNetworkVersion(
  chain: Pick<Chain, "configParam">,
  options?: CallOptions,
): Promise<number> {
  return (await chain.configParam(GLOBAL_VERSION_PARAM, options)).beginParse().skip(TAG_BITS).loadUint(32);
}
