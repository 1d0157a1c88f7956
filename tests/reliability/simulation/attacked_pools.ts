/** The pools under attack: their policies, and the get methods of jetton pools. */
import { Address, beginCell, Dictionary, TupleReader } from "@ton/core";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import type { Network } from "../../../src/core/protocol/network.ts";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { proposeTerms } from "../../../src/ops/deploy/proposed_terms.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { measureJettonCosts, measureNativeCosts } from "../../../testkit/chain/note_costs.ts";
import { SimulatedPool } from "../../../testkit/simulation/accounts.ts";
import { poolCode } from "../../../testkit/simulation/endpoint.ts";

export const DENOMINATION = 10_000_000_000n;
export const VKEY_HASH = "11".repeat(32);
/** The refund that earlier releases gave by default, and that `tonado deploy` proposes with a fee that covers it. */
export const REFUND = 100_000_000n;
/** One whole jetton of nine places is worth one native coin, unless it is worthless. */
const JETTON_PRICE = 1_000_000_000n;

const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const prices = await fetchNetworkPrices(
  { configParam: (id: number) => Promise.resolve(config.get(id)!) } as Chain,
);
/** The attacker's cost of a deposit and the relayer's cost of a withdrawal, as measured in the emulator. */
export const costs = { native: await measureNativeCosts(), jetton: await measureJettonCosts() };
export const address = (byte: number) => new Address(0, Buffer.alloc(32, byte));
export const attacker = address(0xaa);
const [master, jettonWallet] = [address(0xbb), address(0xbc)];

export interface Terms {
  /** Localnet serves jetton pools without a minimum fee, as every network did. */
  readonly network: Network;
  readonly pools: readonly {
    readonly key: string;
    readonly isNative: boolean;
    /** Whether the jetton is worthless. */
    readonly worthless?: boolean;
    readonly terms: Pick<Deployment, "feeMin" | "maxRefund">;
  }[];
}

const proposed = proposeTerms(prices, { nativePrice: JETTON_PRICE, denomination: DENOMINATION });
/**
 * A registry as `tonado deploy` writes it, and a worthless jetton for which the operator configured nothing.
 */
export const defaultTerms: Terms = {
  network: "testnet",
  pools: [
    { key: "native-10", isNative: true, terms: {} },
    { key: "dear-10", isNative: false, terms: proposed },
    { key: "junk-10", isNative: false, worthless: true, terms: {} },
  ],
};
export const oldTerms: Terms = {
  network: "localnet",
  pools: [
    { key: "native-10", isNative: true, terms: { maxRefund: REFUND } },
    { key: "junk-10", isNative: false, worthless: true, terms: { maxRefund: REFUND } },
  ],
};

/** Adds the get methods of jetton pools and their master to a chain. */
export function withJettons(chain: Chain, pools: readonly SimulatedPool[]): Chain {
  const cell = (account: Address) => ({
    type: "slice" as const,
    cell: beginCell().storeAddress(account).endCell(),
  });
  const int = (value: bigint | number) => ({ type: "int" as const, value: BigInt(value) });
  return {
    ...chain,
    async runGetMethod(account, method, args, options) {
      if (account.equals(master)) return new TupleReader([cell(jettonWallet)]);
      if (!pools.some((pool) => pool.address.equals(account))) {
        return await chain.runGetMethod(account, method, args, options);
      }
      const answer = await chain.runGetMethod(account, method, args, options);
      if (method === "get_withdraw_value") {
        return new TupleReader([int(answer.readBigNumber() + 2n * costs.jetton.withdrawal)]);
      }
      if (method !== "get_pool_info") return answer;
      const info = await chain.runGetMethod(account, method, args, options);
      const counts = info.skip(5);
      return new TupleReader([
        ...[int(1), { type: "null" as const }, cell(master), cell(jettonWallet), int(0)],
        ...[counts.readNumber(), counts.readNumber(), counts.readNumber(), 0, counts.skip(1).readNumber(), 0]
          .map(int),
      ]);
    },
  };
}

export function toDeployment(
  pool: SimulatedPool,
  { isNative, key, terms }: Terms["pools"][number],
): Deployment {
  return {
    address: pool.address,
    asset: isNative ? "native" : key.split("-")[0],
    amount: "10",
    denomination: pool.denomination,
    deployedSeqno: 1,
    owner: null,
    vkeyHash: VKEY_HASH,
    codeHash: poolCode.hash().toString("hex"),
    ...!isNative && { jettonMaster: master, jettonWallet, decimals: 9 },
    ...terms,
  };
}
