import { equal } from "node:assert/strict";
import type { Chain } from "../chain.ts";
import { Dictionary } from "@ton/core";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { fetchNetworkPrices } from "../network_prices.ts";
import { estimateWithdrawalCost } from "./withdrawal_cost.ts";

const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const chain = { configParam: (id: number) => Promise.resolve(config.get(id)!) } as Chain;

Deno.test("a withdrawal to the masterchain costs what its messages cost there", async () => {
  const prices = await fetchNetworkPrices(chain);
  const info = { assetKind: "native", deposits: 5, withdrawals: 1, debt: 0n } as const;
  const empty = { cells: 0n, bits: 0n };
  const more = prices.forwardFee(empty, -1) - prices.forwardFee(empty);
  equal(more > 0n, true);
  const base = estimateWithdrawalCost(prices, info);
  equal(estimateWithdrawalCost(prices, info, { recipient: 0, relayer: 0 }), base);
  equal(estimateWithdrawalCost(prices, info, { recipient: -1, relayer: 0 }), base + more);
  equal(estimateWithdrawalCost(prices, info, { recipient: -1, relayer: -1 }), base + 3n * more);
});
