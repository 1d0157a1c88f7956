/** What a jetton is called here: its identifier and decimals, from its own metadata or from whoever deploys. */
import type { Address } from "@ton/core";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { CallOptions, Chain } from "../ton/chain.ts";
import { jettonMetadata } from "../ton/jetton.ts";
import type { JettonMetadata } from "../ton/jetton_metadata.ts";
import type { PoolSpec } from "./pool_plan.ts";

/** What a deployer says of a jetton; the rest is asked of its master. */
export interface JettonClaims {
  readonly symbol?: string;
  readonly decimals?: number;
}

const IDENTIFIER = /^[a-z0-9]{1,32}$/;

/**
 * Asset and jetton of a pool. Names are anybody's to choose, so what is written down is the master's address with them.
 *
 * @throws {Problem} `deployment_refused` when the chain does not say what is missing, or `symbol` is no identifier
 */
export async function identifyJetton(
  chain: Chain,
  master: Address,
  { symbol, decimals }: JettonClaims,
  options?: CallOptions,
): Promise<Required<Pick<PoolSpec, "asset" | "jetton">>> {
  const own = await metadataOf(chain, master, options);
  const errors: ProblemDetail[] = [];
  const asset = (symbol ?? own.symbol)?.toLowerCase();
  if (asset === undefined) {
    errors.push({ pointer: "--symbol", detail: "is needed: the jetton's metadata is not on chain" });
  } else if (!IDENTIFIER.test(asset) || asset === "native") {
    const detail = `is needed, of letters and digits: ${JSON.stringify(asset)} is no identifier`;
    errors.push({ pointer: "--symbol", detail });
  }
  const places = decimals ?? own.decimals;
  if (places === undefined) {
    errors.push({ pointer: "--decimals", detail: "are needed: the jetton's metadata is not on chain" });
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `jetton ${shownAddress(master, chain.network)} cannot be named`, {
      errors,
    });
  }
  return { asset: asset!, jetton: { master, decimals: places! } };
}

async function metadataOf(chain: Chain, master: Address, options?: CallOptions): Promise<JettonMetadata> {
  try {
    return await jettonMetadata(chain, master, options);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "contract_refused") throw error;
    const detail = `${shownAddress(master, chain.network)} is no jetton master: ${error.message}`;
    throw new Problem("deployment_refused", detail, {
      errors: [{ pointer: "--asset", detail }],
      cause: error,
    });
  }
}
