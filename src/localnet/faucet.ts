/** The one method that no live network has: coins and jettons for whoever asks, so that any wallet can be tried here. */
import { jettonsFromNowhere } from "./jetton.ts";
import type { Ledger } from "./ledger.ts";
import { coinsFromNowhere } from "./mint.ts";
import { address, bigint, invalid, type Params } from "./params.ts";

/** Of either at a time: a million TON. */
const MOST = 10n ** 15n;

/**
 * Credits `coins` nano and mints `jettons` of the jetton's smallest unit to `address`, deployed or not, in a
 * block that it closes: they are there when it answers.
 *
 * @throws {RequestError} 422 for amounts out of range, or when there is nothing to give
 */
export async function faucet(ledger: Ledger, params: Params): Promise<unknown> {
  const to = address(params);
  const coins = amount(params, "coins");
  const jettons = amount(params, "jettons");
  if (coins + jettons === 0n) throw invalid("coins", "given, or jettons");
  if (coins > 0n) await ledger.inject(coinsFromNowhere(to, coins, ledger.head.now));
  if (jettons > 0n) await ledger.inject(jettonsFromNowhere(to, jettons, ledger.head.now));
  await ledger.closeBlock(() => ledger.head.now);
  return { "@type": "ok" };
}

function amount(params: Params, name: string): bigint {
  const value = bigint(params, name, 0n);
  if (value < 0n || value > MOST) throw invalid(name, `from 0 to ${MOST}`);
  return value;
}
