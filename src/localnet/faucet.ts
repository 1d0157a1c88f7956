import { jettonMintMessage } from "./local_jetton.ts";
import type { Ledger } from "./ledger.ts";
import { coinMintMessage } from "./coin_mint.ts";
import { addressParam, bigintParam, invalidParam, type Params } from "./api/request_params.ts";

/** Maximum amount per call, of coins and of jettons. In coins, a million GRAM. */
const MAX_AMOUNT = 10n ** 15n;

/** `coins` in nano, `jettons` in the smallest unit. Throws a RequestError for invalid amounts. */
export async function faucet(ledger: Ledger, params: Params): Promise<unknown> {
  const to = addressParam(params);
  const coins = amountParam(params, "coins");
  const jettons = amountParam(params, "jettons");
  if (coins + jettons === 0n) throw invalidParam("coins", "given, or jettons");
  if (coins > 0n) await ledger.inject(coinMintMessage(to, coins, ledger.head.now));
  if (jettons > 0n) await ledger.inject(jettonMintMessage(to, jettons, ledger.head.now));
  await ledger.closeBlock(() => ledger.head.now);
  return { "@type": "ok" };
}

function amountParam(params: Params, name: string): bigint {
  const value = bigintParam(params, name, 0n);
  if (value < 0n || value > MAX_AMOUNT) throw invalidParam(name, `from 0 to ${MAX_AMOUNT}`);
  return value;
}
