import type { Address } from "@ton/core";
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { CallOptions, Chain } from "../../ton/chain.ts";
import { fetchJettonMetadata } from "../../ton/jetton/jetton.ts";
import type { JettonMetadata } from "../../ton/jetton/jetton_metadata.ts";
import type { PoolSpec } from "./pool_plan.ts";

interface JettonOverrides {
  readonly symbol?: string;
  readonly decimals?: number;
}

const ASSET_IDENTIFIER = /^[a-z0-9]{1,32}$/;
/** Names are shown in capitals, so a jetton with one of these would read like the network's coin. */
const COIN_NAMES = ["native", "gram", "ton", "toncoin"];

/** Throws `deployment_refused` if a value is neither given nor on chain, or the symbol is not an identifier or is the coin's. */
export async function identifyJetton(
  chain: Chain,
  master: Address,
  { symbol, decimals }: JettonOverrides,
  options?: CallOptions,
): Promise<Required<Pick<PoolSpec, "asset" | "jetton">>> {
  const metadata = await readMetadata(chain, master, options);
  const errors: ProblemDetail[] = [];
  const asset = (symbol ?? metadata.symbol)?.toLowerCase();
  if (asset === undefined) {
    errors.push({ pointer: "--symbol", detail: "is required: the jetton's metadata is not on chain" });
  } else if (COIN_NAMES.includes(asset)) {
    const detail =
      `is required: the jetton's symbol ${asset.toUpperCase()} is the name of the network's coin`;
    errors.push({ pointer: "--symbol", detail });
  } else if (!ASSET_IDENTIFIER.test(asset)) {
    const detail = `is required, with letters and digits only: ${JSON.stringify(asset)} is not an identifier`;
    errors.push({ pointer: "--symbol", detail });
  }
  const knownDecimals = decimals ?? metadata.decimals;
  if (knownDecimals === undefined) {
    errors.push({ pointer: "--decimals", detail: "is required: the jetton's metadata is not on chain" });
  }
  if (errors.length > 0) {
    const addressText = formatAddress(master, chain.network);
    throw new Problem("deployment_refused", `jetton ${addressText} cannot be named`, { errors });
  }
  return { asset: asset!, jetton: { master, decimals: knownDecimals! } };
}

async function readMetadata(chain: Chain, master: Address, options?: CallOptions): Promise<JettonMetadata> {
  try {
    return await fetchJettonMetadata(chain, master, options);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "contract_refused") throw error;
    const detail = `${formatAddress(master, chain.network)} is not a jetton master: ${error.message}`;
    throw new Problem("deployment_refused", detail, {
      errors: [{ pointer: "--asset", detail }],
      cause: error,
    });
  }
}
