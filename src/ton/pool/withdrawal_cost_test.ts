import { deepEqual, equal } from "node:assert/strict";
import type { Chain } from "../chain.ts";
import { Dictionary } from "@ton/core";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { fetchNetworkPrices, type NetworkPrices } from "../network_prices.ts";
import { ENDOWMENT_SECONDS, NET_ACCRUAL } from "../../core/protocol/pool_constants.ts";
import { estimateWithdrawalCost } from "./withdrawal_cost.ts";

type PoolCounts = Parameters<typeof estimateWithdrawalCost>[1];

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

/** The contracts' tests compare estimates with real transactions; this one shows when an estimate changes. */
Deno.test("a withdrawal's cost by the kind and state of the pool, at mainnet's prices and at dear storage", async () => {
  const prices = await fetchNetworkPrices(chain);
  const dear: NetworkPrices = { ...prices, storageFee: (size) => 100n * prices.storageFee(size) };
  const native = { assetKind: "native", deposits: 5, withdrawals: 1, debt: 40_000_003n } as const;
  const jetton = { ...native, assetKind: "jetton" } as const;
  const quote = 2n * 10n ** 9n;
  const cases: [PoolCounts, quote?: bigint][] = [
    [native],
    [{ ...native, withdrawals: 5 }],
    [native, quote],
    [{ ...native, version: 2 }, quote],
    [jetton],
    [{ ...jetton, version: 2 }],
    [jetton, quote],
    [{ ...jetton, claims: 3 }, quote],
    [{ ...jetton, version: 2 }, quote],
    [jetton, 1n],
  ];
  const costs = [prices, dear].map((prices) =>
    cases.map(([pool, quote]) => estimateWithdrawalCost(prices, pool, quote === undefined ? {} : { quote }))
  );
  deepEqual(costs, [
    [
      ...[26_224_673n, 56_224_675n, 1_933_623_081n, 1_942_270_787n, 76_022_012n],
      ...[76_022_012n, 1_817_486_193n, 1_817_485_125n, 1_826_385_971n, 76_022_012n],
    ],
    [
      ...[151_238_073n, 181_238_075n, 1_931_050_566n, 1_898_221_034n, 586_075_312n],
      ...[326_048_712n, 1_744_934_430n, 1_744_827_630n, 1_710_912_164n, 586_075_312n],
    ],
  ]);
});

Deno.test("where bits of storage cost money, a native withdrawal prepays one full cell", async () => {
  const prices = await fetchNetworkPrices(chain);
  const free: NetworkPrices = { ...prices, storageFee: () => 0n };
  const byBit: NetworkPrices = { ...prices, storageFee: ({ bits, seconds }) => bits * seconds };
  const info = { assetKind: "native", deposits: 5, withdrawals: 1, debt: 40_000_000n } as const;
  const more = estimateWithdrawalCost(byBit, info) - estimateWithdrawalCost(free, info);
  equal(more, 1023n * ENDOWMENT_SECONDS - NET_ACCRUAL);
});
