/**
 * Deploys pools and proves to whoever called it that what stands on chain is what was built here. A pool's address
 * commits to its code, denomination and owner, so that a second run finds it instead of paying again.
 */
import { type Address, contractAddress, type StateInit } from "@ton/core";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import { type Network, networkGlobalId } from "../core/network.ts";
import { formatUnits, parseUnits } from "../core/units.ts";
import type { Artifacts } from "../prover/artifacts.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { loadPoolCode, nativePoolInit } from "../ton/pool_state.ts";
import { type Prices, readPrices } from "../ton/prices.ts";
import { systemTimer } from "../ton/scheduler.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import { checkPoolKeys, type PoolKeys } from "./pool_keys.ts";

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
  /** The registry so far: a pool that stands in it keeps the seqno it was deployed at, and is never replaced. */
  readonly known?: Deployments;
  /** Where the keys are read from; default: this build's. */
  readonly artifacts?: Artifacts;
  /** Asked once, after every check and before money moves; whoever does not agree throws. */
  readonly confirm?: (order: DeployOrder) => Promise<void>;
  /** Told while pools are waited for, in milliseconds. */
  readonly onWait?: (waited: { elapsed: number; timeout: number }) => void;
  /** Told of what is doubtful but allowed off mainnet. */
  readonly warn?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds between looks at the chain; default 2000. */
  readonly pollMs?: number;
  /** Milliseconds to wait for the pools to appear; default 3 minutes. */
  readonly timeoutMs?: number;
}

/** What is about to be sent. Amounts in nano. */
export interface DeployOrder {
  readonly pools: readonly {
    readonly address: Address;
    readonly amount: string;
    readonly owner: Address | null;
  }[];
  /** What the pools start with; fees come on top. */
  readonly value: bigint;
  /** What the wallet holds. */
  readonly balance: bigint;
  /** What kind of keys the pools trust. */
  readonly keys: string;
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
/** Of the chain's configuration: the number that tells networks apart. */
const GLOBAL_ID = 19;

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
 * Deploys what is not there yet in one transfer, waits until all of it is active and verifies code, denomination and
 * owner by the chain's own answers.
 *
 * @throws {Problem} before anything is sent: `invalid_amount` for a denomination of nothing or too small for mainnet,
 *   `artifact_corrupted`, `deployment_refused` with the reasons in `errors`, `insufficient_funds`; after it:
 *   `chain_inconsistent` when a pool differs from what was built here, `chain_unavailable` when it does not appear
 */
export async function deployPools(
  { pools, ...options }: DeployOptions & { pools: readonly PoolSpec[] },
): Promise<Deployment[]> {
  const { chain, network, known } = options;
  const prices = await readPrices(chain);
  const plans = pools.map(plan);
  for (const { amount, denomination } of plans) checkDenomination(amount, denomination, prices, options);
  const keys = await checkPoolKeys(options.artifacts);
  await refuseUnsafe(plans, keys, options);

  const missing = [];
  for (const each of plans) {
    if ((await chain.account(each.address, options)).state !== "active") missing.push(each);
  }
  // Before anything is sent: no transaction of a new pool can be older.
  const seqno = await chain.masterchainSeqno(options);
  if (missing.length > 0) await send(missing, prices, keys, options);

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
  if (denomination <= 0n) throw new Problem("invalid_amount", "a denomination of 0 is no pool");
  const least = GAS_FEES_PER_NOTE * prices.gasFee(GAS_HIGHEST_PATH);
  if (denomination >= least) return;
  const text = `a denomination of ${amount} is below ${formatUnits(least)}: fees would eat much of each note`;
  if (options.network === "mainnet") throw new Problem("invalid_amount", text);
  options.warn?.(text);
}

/** Mainnet's pools have nobody above them, and no network is taken for another. */
async function refuseUnsafe(plans: readonly Plan[], keys: PoolKeys, options: DeployOptions): Promise<void> {
  const { chain, network, known } = options;
  const errors: ProblemDetail[] = [];
  const refuse = (pointer: string, detail: string) => void errors.push({ pointer, detail });
  // A localnet has mainnet's configuration, id included.
  if (network !== "localnet") {
    const id = (await chain.configParam(GLOBAL_ID, options)).beginParse().loadInt(32);
    if (id !== networkGlobalId(network)) {
      refuse("network", `the endpoint serves another network than ${network} (global id ${id})`);
    }
  }
  if (network === "mainnet") {
    if (plans.some(({ owner }) => owner !== null)) refuse("owner", "a pool on mainnet has no owner: burn it");
    if (keys.development) refuse("keys", `these are ${keys.label}: whoever made them can forge withdrawals`);
  }
  for (const each of plans) {
    const key = poolKey(each);
    const listed = known?.network === network ? known.pools.get(key)?.address : undefined;
    if (listed && !listed.equals(each.address)) {
      refuse(
        "registry",
        `lists another pool as ${key}, ${listed}: use another registry, or take that entry out first`,
      );
    }
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `deployment on ${network} is refused`, { errors });
  }
}

async function send(
  plans: readonly Plan[],
  prices: Prices,
  { label }: PoolKeys,
  { wallet, confirm }: DeployOptions,
): Promise<void> {
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
  await confirm?.({ pools: plans, value: needed, balance, keys: label });
  const messages = plans.map(({ address, init }): OutgoingMessage => ({
    to: address,
    init,
    value,
    bounce: false,
  }));
  await wallet.send(messages);
}

async function waitUntilActive(address: Address, options: DeployOptions): Promise<void> {
  const { chain, signal, onWait, pollMs = 2000, timeoutMs = 180_000 } = options;
  const began = systemTimer.now();
  const deadline = began + timeoutMs;
  while ((await chain.account(address, options)).state !== "active") {
    if (systemTimer.now() > deadline) {
      throw new Problem(
        "chain_unavailable",
        `pool ${address} did not appear; run it again to see whether it does`,
      );
    }
    onWait?.({ elapsed: systemTimer.now() - began, timeout: timeoutMs });
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
