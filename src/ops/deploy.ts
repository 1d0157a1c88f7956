/**
 * Deploys pools and proves to whoever called it that what stands on chain is what was built here. A pool's address
 * commits to its code, denomination and owner, so that a second run finds it instead of paying again.
 */
import { type Address, contractAddress, type StateInit } from "@ton/core";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { formatUnits, parseUnits } from "../core/units.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { loadPoolCode, nativePoolInit } from "../ton/pool_state.ts";
import { type Prices, readPrices } from "../ton/prices.ts";
import { systemTimer } from "../ton/scheduler.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";

/** A pool to deploy. */
export interface PoolSpec {
  readonly asset: "native";
  /** Denomination in whole units. */
  readonly amount: string;
  /** null burns the key: nobody will ever be its admin. */
  readonly owner: Address | null;
}

/** Where and how to deploy. */
export interface DeployOptions {
  readonly chain: Chain;
  /** Pays for the pools. */
  readonly wallet: Wallet;
  readonly network: Network;
  /** The registry so far: a pool that stands in it keeps the seqno it was deployed at. */
  readonly known?: Deployments;
  /** Told of what is doubtful but allowed off mainnet. */
  readonly warn?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds between looks at the chain; default 2000. */
  readonly pollMs?: number;
  /** Milliseconds to wait for the pools to appear; default 3 minutes. */
  readonly timeoutMs?: number;
}

interface Plan extends PoolSpec {
  readonly denomination: bigint;
  readonly init: StateInit;
  readonly address: Address;
}

/** Smallest balance of a new pool, in nano; it also keeps a fresh one above every fee of its first deposits. */
const INITIAL_BALANCE = 2_500_000_000n;
/** What a young pool grows to, and the years of its storage that the deployer pays. */
const YOUNG_POOL = { cells: 11_000n, bits: 1_200_000n, seconds: 3n * 31_557_600n };
/** `GAS_HIGHEST_PATH` of contracts/fees.tolk: what the dearest withdrawal takes. */
export const GAS_HIGHEST_PATH = 406_000n;
/** A denomination is at least so many times the gas fee of that. */
const GAS_FEES_PER_NOTE = 36n;

/**
 * Deploys one pool; see {@linkcode deployPools}.
 */
export async function deployPool(
  { asset, amount, owner, ...options }: DeployOptions & PoolSpec,
): Promise<Deployment> {
  const [deployment] = await deployPools({ ...options, pools: [{ asset, amount, owner }] });
  return deployment;
}

/**
 * Deploys what is not there yet, with as few transfers as the wallet allows, waits until all of it is active and
 * verifies code, denomination, owner and emptiness or age by the chain's own answers.
 *
 * @throws {Problem} `invalid_amount` for a denomination too small for mainnet, `insufficient_funds`,
 *   `chain_inconsistent` when a pool differs from what was built here, `chain_unavailable` when it does not appear
 */
export async function deployPools(
  { pools, ...options }: DeployOptions & { pools: readonly PoolSpec[] },
): Promise<Deployment[]> {
  const { chain, network, known } = options;
  const prices = await readPrices(chain);
  const plans = pools.map(plan);
  for (const { amount, denomination } of plans) checkDenomination(amount, denomination, prices, options);

  const missing = [];
  for (const each of plans) {
    if ((await chain.account(each.address, options)).state !== "active") missing.push(each);
  }
  // Before anything is sent: no transaction of a new pool can be older.
  const seqno = await chain.masterchainSeqno(options);
  if (missing.length > 0) await send(missing, prices, options);

  const { codeHash, vkeyHash } = loadPoolCode();
  const deployments = [];
  for (const each of plans) {
    await waitUntilActive(each.address, options);
    await verify(each, options);
    const before = known?.network === network ? known.pools.get(poolKey(each)) : undefined;
    deployments.push({
      address: each.address,
      asset: each.asset,
      amount: each.amount,
      denomination: each.denomination,
      deployedSeqno: before?.address.equals(each.address) ? before.deployedSeqno : seqno,
      codeHash,
      vkeyHash,
      owner: each.owner,
    });
  }
  return deployments;
}

function plan(spec: PoolSpec): Plan {
  const denomination = parseUnits(spec.amount);
  const amount = formatUnits(denomination);
  const init = nativePoolInit({ denomination, owner: spec.owner });
  return { ...spec, amount, denomination, init, address: contractAddress(0, init) };
}

function checkDenomination(
  amount: string,
  denomination: bigint,
  prices: Prices,
  options: DeployOptions,
): void {
  const least = GAS_FEES_PER_NOTE * prices.gasFee(GAS_HIGHEST_PATH);
  if (denomination >= least) return;
  const text = `a denomination of ${amount} is below ${formatUnits(least)}: fees would eat much of each note`;
  if (options.network === "mainnet") throw new Problem("invalid_amount", text);
  options.warn?.(text);
}

async function send(plans: readonly Plan[], prices: Prices, { wallet }: DeployOptions): Promise<void> {
  const rent = prices.storageFee(YOUNG_POOL);
  const value = rent > INITIAL_BALANCE ? rent : INITIAL_BALANCE;
  const needed = value * BigInt(plans.length);
  const balance = await wallet.balance();
  if (balance <= needed) {
    const text = `wallet ${wallet.format()} holds ${formatUnits(balance)}, ` +
      `the pools need ${formatUnits(needed)} and fees`;
    throw new Problem("insufficient_funds", text);
  }
  if (plans.length > wallet.maxMessages) {
    throw new RangeError(`this wallet deploys ${wallet.maxMessages} pools at once`);
  }
  const messages = plans.map(({ address, init }): OutgoingMessage => ({
    to: address,
    init,
    value,
    bounce: false,
  }));
  await wallet.send(messages);
}

async function waitUntilActive(address: Address, options: DeployOptions): Promise<void> {
  const { chain, signal, pollMs = 2000, timeoutMs = 180_000 } = options;
  const deadline = systemTimer.now() + timeoutMs;
  while ((await chain.account(address, options)).state !== "active") {
    if (systemTimer.now() > deadline) {
      throw new Problem(
        "chain_unavailable",
        `pool ${address} did not appear; run it again to see whether it does`,
      );
    }
    await systemTimer.wait(pollMs, signal).catch((cause) => {
      throw new Problem("cancelled", undefined, { cause });
    });
  }
}

async function verify({ address, denomination, owner }: Plan, { chain }: DeployOptions): Promise<void> {
  const { code } = await chain.account(address);
  const pool = new Pool(chain, address);
  const info = await pool.getPoolInfo();
  const sameOwner = owner ? info.owner?.equals(owner) === true : info.owner === null;
  const differs = [
    code?.hash().toString("hex") === loadPoolCode().codeHash ? "" : "code",
    await pool.getDenomination() === denomination ? "" : "denomination",
    info.assetKind === "native" ? "" : "asset",
    sameOwner ? "" : "owner",
  ].filter((what) => what !== "");
  if (differs.length > 0) {
    throw new Problem("chain_inconsistent", `pool ${address} on chain has another ${differs.join(", ")}`);
  }
}
