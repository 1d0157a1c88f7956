/**
 * Tries a jetton's wallets. Before a pool is paid for, a unit goes to an address without a jetton wallet, with the least
 * value that a payout carries: a withdrawal's value is not part of its proof, so anyone can send a copy with less. Before
 * the pool is registered, a unit goes through it and back. Every pool returns a deposit without a body: the unit takes
 * the path of a deposit, then the path of a payout.
 */
import { Address, type Message } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { storeJettonTransfer } from "../../core/protocol/messages/jetton_messages.ts";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../ton/jetton/jetton.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { computeRetryCost, computeTransferValue } from "../../ton/pool/retry_cost.ts";
import { incomingMessagesSince } from "../../ton/wallet/incoming_messages.ts";
import { confirmTransfer } from "../../ton/wallet/transfer_inclusion.ts";
import type { PoolPlan } from "./pool_plan.ts";
import type { JettonPool } from "./jetton_discovery.ts";
import { fetchJettonBalance } from "./jetton_issuer.ts";
import { type DeployOptions, type TrialOutcome, waitForChain } from "./options.ts";

const UNIT = 1n;
/** One unit is sent to a random address and cannot be recovered; the other returns. */
const TRIAL_UNITS = 2n * UNIT;

/** Returns the nano to attach to the way through the pool, most of which returns: enough for two transfers. */
function moveValue(prices: NetworkPrices): bigint {
  return 2n * computeRetryCost(prices);
}

/** The parts of the trial that a pool needs. */
export interface Trial {
  readonly triesLeastPayout: boolean;
  /** Whether a unit is moved through the pool; only together with the least payout. */
  readonly movesUnit: boolean;
  /** What the deployment reports if the parts succeed. */
  readonly outcome: TrialOutcome;
}

const noTrial = (outcome: TrialOutcome): Trial => ({ triesLeastPayout: false, movesUnit: false, outcome });

/** Returns the nano to attach to the trials of these pools, most of which returns. */
export function trialValue(
  trials: readonly { readonly plan: Pick<PoolPlan, "jetton">; readonly movesUnit: boolean }[],
  prices: NetworkPrices,
): bigint {
  const moves = trials.filter(({ movesUnit }) => movesUnit).length;
  return BigInt(moves) * moveValue(prices) +
    BigInt(mastersOf(trials.map(({ plan }) => plan)).length) * computeTransferValue(prices);
}

/** Returns the masters of these pools' jettons, each once. */
export function mastersOf(plans: readonly Pick<PoolPlan, "jetton">[]): Address[] {
  const masters = plans.flatMap(({ jetton }) => jetton ? [jetton.master] : []);
  return [...new Map(masters.map((master) => [master.toRawString(), master])).values()];
}

/**
 * Returns the parts of the trial that the pool needs. Anyone can deploy a pool and move units through it with more coins
 * than a payout carries, so a payout of a pool that is not listed does not replace the least payout.
 */
export async function planTrial(
  pool: JettonPool,
  { exists, listed }: { readonly exists: boolean; readonly listed: boolean },
  options: DeployOptions,
): Promise<Trial> {
  const { chain, wallet } = options;
  const { master } = pool.jetton;
  if (exists && listed) return noTrial("earlier");
  const movesUnit = !(exists && await hasPaidOut(pool, options));
  const units = await fetchJettonBalance(chain, { master, owner: wallet.address }, options);
  if (units < (movesUnit ? TRIAL_UNITS : UNIT)) return noTrial("skipped");
  return { triesLeastPayout: true, movesUnit, outcome: movesUnit ? "returned" : "earlier" };
}

/** A pool's wallet that exists and is empty has paid out everything that it received. */
async function hasPaidOut({ address, jetton }: JettonPool, { chain, ...options }: DeployOptions) {
  const { deposits } = await new Pool(chain, address).getPoolInfo(options);
  if (deposits > 0) return true;
  const wallet = await fetchJettonWalletAddress(chain, jetton.master, address, options);
  return (await fetchJettonWalletData(chain, wallet, options))?.balance === 0n;
}

/**
 * Sends a unit as the leanest withdrawal does, to a new address without a jetton wallet, where it stays. Throws
 * `deployment_refused` if it does not arrive, and `chain_unavailable` if the wallet does not accept the transfer.
 */
export async function tryLeastPayout(
  master: Address,
  prices: NetworkPrices,
  options: DeployOptions,
): Promise<void> {
  const { chain, wallet } = options;
  const destination = new Address(0, Buffer.from(crypto.getRandomValues(new Uint8Array(32))));
  const [from, to] = [
    await fetchJettonWalletAddress(chain, master, wallet.address, options),
    await fetchJettonWalletAddress(chain, master, destination, options),
  ];
  const before = (await chain.account(wallet.address, options)).last;
  const value = computeTransferValue(prices);
  const transfer = await wallet.send([{
    to: from,
    value,
    bounce: true,
    body: storeJettonTransfer({
      queryId: 0n,
      amount: UNIT,
      destination,
      responseDestination: wallet.address,
      forwardAmount: 0n,
      forwardPayload: null,
    }),
  }]);
  await confirmTransfer(chain, wallet, transfer, options);
  let outcome: "arrived" | "bounced" | undefined;
  await waitForChain(async () => {
    if ((await fetchJettonWalletData(chain, to, options))?.balance === UNIT) outcome = "arrived";
    const messages = await incomingMessagesSince(chain, wallet.address, before, options);
    if (messages.some((message) => isBouncedTransfer(message, from))) outcome = "bounced";
    return outcome !== undefined;
  }, options);
  if (outcome === "arrived") return;
  const least = formatNative(value);
  throw new Problem(
    "deployment_refused",
    outcome === "bounced"
      ? `the deployer's jetton wallet refuses to send a unit with ${least}, the least that a payout carries`
      : `a unit that was sent to a new address with ${least}, the least that a payout carries, did not arrive`,
    {
      hint:
        "Nothing was paid for the pool, and it is not in the registry. Either the issuer has locked wallets, or they need " +
        "more coins than a pool attaches. Do not deploy a pool for such a jetton.",
    },
  );
}

const isBouncedTransfer = ({ info, body }: Message, jettonWallet: Address) =>
  info.type === "internal" && info.bounced && info.src.equals(jettonWallet) &&
  bouncedOp(body) === opCodes.transfer;

/**
 * Sends a unit and waits until the pool has returned it. Throws `deployment_refused` after a timeout, and
 * `chain_unavailable` if the wallet does not accept the transfer.
 */
export async function moveUnit(
  pool: JettonPool,
  prices: NetworkPrices,
  options: DeployOptions,
): Promise<void> {
  const { chain, wallet } = options;
  const value = moveValue(prices);
  const jettonWallet = await fetchJettonWalletAddress(chain, pool.jetton.master, wallet.address, options);
  const before = (await chain.account(wallet.address, options)).last;
  const transfer = await wallet.send([{
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
  await confirmTransfer(chain, wallet, transfer, options);
  const contract = new Pool(chain, pool.address);
  let outcome: "returned" | "bounced" | undefined;
  await waitForChain(async () => {
    for (const message of await incomingMessagesSince(chain, wallet.address, before, options)) {
      if (contract.parseReturnedDeposit(message, jettonWallet)?.amount === UNIT) outcome = "returned";
      else if (isBouncedTransfer(message, jettonWallet)) outcome = "bounced";
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
