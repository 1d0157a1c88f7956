/**
 * Moves one unit of a jetton through a new pool and back, before the pool is registered. Every pool returns
 * a deposit without a body: the unit takes the path of a deposit, then the path of a payout.
 */
import type { Message } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { storeJettonTransfer } from "../../core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../ton/jetton/jetton.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { computeRetryCost } from "../../ton/pool/retry_cost.ts";
import { incomingMessagesSince } from "../../ton/wallet/incoming_messages.ts";
import type { JettonPool } from "./jetton_discovery.ts";
import { fetchJettonBalance } from "./jetton_issuer.ts";
import { type DeployOptions, type TrialOutcome, waitForChain } from "./options.ts";

const UNIT = 1n;

/** Returns the nano to attach to the trial, most of which returns: enough for two transfers. */
export function trialValue(prices: NetworkPrices): bigint {
  return 2n * computeRetryCost(prices);
}

/** Returns `undefined` if the pool needs a trial, and otherwise the reason for omitting it. */
export async function findTrialOutcome(
  pool: JettonPool,
  { exists, listed }: { readonly exists: boolean; readonly listed: boolean },
  options: DeployOptions,
): Promise<Exclude<TrialOutcome, "returned"> | undefined> {
  const { chain, wallet } = options;
  const { master } = pool.jetton;
  if (exists && (listed || await hasPaidOut(pool, options))) return "earlier";
  const units = await fetchJettonBalance(chain, { master, owner: wallet.address }, options);
  return units < UNIT ? "skipped" : undefined;
}

/** A pool's wallet that exists and is empty has paid out everything that it received. */
async function hasPaidOut({ address, jetton }: JettonPool, { chain, ...options }: DeployOptions) {
  const { deposits } = await new Pool(chain, address).getPoolInfo(options);
  if (deposits > 0) return true;
  const wallet = await fetchJettonWalletAddress(chain, jetton.master, address, options);
  return (await fetchJettonWalletData(chain, wallet, options))?.balance === 0n;
}

/** Sends a unit and waits until the pool has returned it. Throws `deployment_refused` after a timeout. */
export async function moveUnit(
  pool: JettonPool,
  prices: NetworkPrices,
  options: DeployOptions,
): Promise<void> {
  const { chain, wallet } = options;
  const value = trialValue(prices);
  const jettonWallet = await fetchJettonWalletAddress(chain, pool.jetton.master, wallet.address, options);
  const before = (await chain.account(wallet.address, options)).last;
  await wallet.send([{
    to: jettonWallet,
    value,
    bounce: true,
    body: storeJettonTransfer({
      queryId: 0n,
      amount: UNIT,
      destination: pool.address,
      responseDestination: wallet.address,
      forwardAmount: value / 2n,
      forwardPayload: null,
    }),
  }]);
  const contract = new Pool(chain, pool.address);
  const isBounce = ({ info, body }: Message) =>
    info.type === "internal" && info.bounced && info.src.equals(jettonWallet) &&
    bouncedOp(body) === opCodes.transfer;
  let outcome: "returned" | "bounced" | undefined;
  await waitForChain(async () => {
    for (const message of await incomingMessagesSince(chain, wallet.address, before, options)) {
      if (contract.parseReturnedDeposit(message, jettonWallet)?.amount === UNIT) outcome = "returned";
      else if (isBounce(message)) outcome = "bounced";
    }
    return outcome !== undefined;
  }, options);
  if (outcome !== "returned") throw trialFailure(pool, outcome === "bounced", options);
}

function bouncedOp(body: Message["body"]): number | undefined {
  const slice = body.beginParse();
  return slice.remainingBits >= 64 ? slice.skip(32).loadUint(32) : undefined;
}

function trialFailure({ address }: JettonPool, bounced: boolean, { chain }: DeployOptions): Problem {
  const pool = formatAddress(address, chain.network);
  const detail = bounced
    ? `the deployer's jetton wallet refuses to send a unit to pool ${pool}`
    : `a unit that was sent through pool ${pool} did not come back in time`;
  return new Problem("deployment_refused", detail, {
    hint:
      "The pool exists but is not in the registry. Do not publish its address. Ask the issuer whether wallets are " +
      "locked; then run the command again, which repeats the trial.",
  });
}
