/**
 * Deploys pools and proves to whoever called it that what stands on chain is what was built here. A pool's address
 * commits to its code, denomination, owner and generation, so that a second run finds it instead of paying again.
 */
import type { Address } from "@ton/core";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import { type Network, networkGlobalId } from "../core/network.ts";
import { formatUnits } from "../core/units.ts";
import { type Artifacts, openArtifacts } from "../prover/artifacts.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { loadPoolCode } from "../ton/pool_state.ts";
import { type Prices, readPrices } from "../ton/prices.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import { faultOfPinnedKeys } from "./ceremony/pinned_keys.ts";
import { seqnoOfFirstTransaction } from "./deployed_seqno.ts";
import {
  discoveredWallet,
  discoverMessage,
  jettonFaults,
  type JettonPool,
  probeMasters,
  QUESTION_VALUE,
} from "./jetton_discovery.ts";
import { checkPoolKeys, type PoolKeys } from "./pool_keys.ts";
import { planPool, type PoolPlan, type PoolSpec } from "./pool_plan.ts";
import { warnOfPredecessor } from "./predecessor.ts";
import { type Waiting, waitUntil } from "./waiting.ts";

export type { PoolJetton, PoolSpec } from "./pool_plan.ts";

/** Where and how to deploy. */
export interface DeployOptions extends Waiting {
  readonly chain: Chain;
  /** Pays for the pools. */
  readonly wallet: Wallet;
  readonly network: Network;
  /** The registry so far: a pool that stands in it keeps the seqno it was deployed at, and is never replaced. */
  readonly known?: Deployments;
  /** Where the keys are read from; default: this build's. */
  readonly artifacts?: Artifacts;
  /** Why no ceremony vouches for the keys, if none does; default: what the transcript among the artifacts shows. */
  readonly vouch?: (artifacts: Artifacts) => Promise<string | undefined>;
  /** Asked once, after every check and before money moves; whoever does not agree throws. */
  readonly confirm?: (order: DeployOrder) => Promise<void>;
  /** Told of what is doubtful but allowed off mainnet. */
  readonly warn?: (text: string) => void;
}

/** What is about to be sent. Amounts in nano. */
export interface DeployOrder {
  /** New ones. */
  readonly pools: readonly Pick<
    PoolPlan,
    "address" | "asset" | "amount" | "generation" | "denomination" | "jetton" | "owner"
  >[];
  /** What the pools start with, and what questions to masters carry, half of which returns; fees come on top. */
  readonly value: bigint;
  /** What the wallet holds. */
  readonly balance: bigint;
  /** What kind of keys the pools trust. */
  readonly keys: string;
}

/** Smallest balance of a new pool, in nano; it also keeps a fresh one above every fee of its first deposits. */
const INITIAL_BALANCE = 2_500_000_000n;
/** What a young pool grows to, and the years of its storage that the deployer pays. */
const YOUNG_POOL = { cells: 11_000n, bits: 1_200_000n, seconds: 3n * 31_557_600n };
/** `GAS_HIGHEST_PATH` of contracts/fees.tolk: what the dearest withdrawal takes. */
export const GAS_HIGHEST_PATH = 356_000n;
/** A denomination is at least so many times the gas fee of that. */
const GAS_FEES_PER_NOTE = 36n;
/** Of the chain's configuration: the number that tells networks apart. */
const GLOBAL_ID = 19;

/**
 * Deploys one pool; see {@linkcode deployPools}.
 */
export async function deployPool(
  { asset, amount, generation, owner, jetton, ...options }: DeployOptions & PoolSpec,
): Promise<Deployment> {
  const [deployment] = await deployPools({
    ...options,
    pools: [{ asset, amount, generation, owner, jetton }],
  });
  return deployment;
}

/**
 * Deploys what is not there yet, makes jetton pools discover their wallets, waits until all of it stands, and verifies
 * code, denomination, owner and jetton wallet by the chain's own answers.
 *
 * @throws {Problem} before anything is sent: `invalid_amount` for a denomination of nothing or too small for mainnet,
 *   `artifact_corrupted`, `deployment_refused` with the reasons in `errors`, `insufficient_funds`; before a pool is paid
 *   for: `deployment_refused` for a jetton whose master does not answer TEP-89 as it must; after it:
 *   `chain_inconsistent` when a pool differs from what was built here, `chain_unavailable` when it does not appear
 */
export async function deployPools(
  { pools, ...options }: DeployOptions & { pools: readonly PoolSpec[] },
): Promise<Deployment[]> {
  const { chain } = options;
  const prices = await readPrices(chain);
  const plans = pools.map(planPool);
  for (const plan of plans) checkDenomination(plan, prices, options);
  const keys = await keysOf(plans, options);
  await refuseUnsafe(plans, keys, options);
  for (const plan of plans) await warnOfPredecessor(plan, options);

  const todo: Todo[] = [];
  for (const plan of plans) todo.push({ plan, ...await stateOf(plan, options) });
  // Before anything is sent: no transaction of a new pool can be older.
  const seqno = await chain.masterchainSeqno(options);
  await send(todo, prices, keys, options);

  const deployments = [];
  for (const { plan, deploy } of todo) {
    await waitUntilActive(plan.address, options);
    await verify(plan, options);
    deployments.push({
      address: plan.address,
      asset: plan.asset,
      amount: plan.amount,
      ...plan.generation ? { generation: plan.generation } : {},
      denomination: plan.denomination,
      deployedSeqno: deploy ? seqno : await seqnoOf(plan, options),
      ...hashes(plan),
      owner: plan.owner,
      ...isJetton(plan) && {
        jettonMaster: plan.jetton.master,
        jettonWallet: await discoveredWallet(plan, options),
        decimals: plan.jetton.decimals,
      },
    });
  }
  return deployments;
}

/** What a pool still takes. */
interface Todo {
  readonly plan: PoolPlan;
  readonly deploy: boolean;
  readonly discover: boolean;
}

async function stateOf(plan: PoolPlan, options: DeployOptions): Promise<Omit<Todo, "plan">> {
  const { chain } = options;
  const deploy = (await chain.account(plan.address, options)).state !== "active";
  if (deploy || !isJetton(plan)) return { deploy, discover: isJetton(plan) };
  const { jettonWallet } = await new Pool(chain, plan.address).getPoolInfo(options);
  return { deploy, discover: jettonWallet === null };
}

function isJetton(plan: PoolPlan): plan is PoolPlan & JettonPool {
  return plan.jetton !== undefined;
}

function hashes({ kind }: PoolPlan) {
  const { codeHash, vkeyHash } = loadPoolCode(kind);
  return { codeHash, vkeyHash };
}

/** Of a pool that stands already: what the registry says, else about when its history begins. */
async function seqnoOf(plan: PoolPlan, { chain, network, known, signal }: DeployOptions): Promise<number> {
  const before = known?.network === network ? known.pools.get(poolKey(plan)) : undefined;
  if (before?.address.equals(plan.address)) return before.deployedSeqno;
  return await seqnoOfFirstTransaction(chain, plan.address, { signal });
}

/** The keys in the code of every kind that is planned; they are the same ones. */
async function keysOf(plans: readonly PoolPlan[], { artifacts }: DeployOptions): Promise<PoolKeys> {
  let keys: PoolKeys | undefined;
  for (const kind of new Set(plans.map((plan) => plan.kind))) {
    keys = await checkPoolKeys(artifacts, loadPoolCode(kind));
  }
  return keys ?? await checkPoolKeys(artifacts);
}

/** Fees are paid in coins: what a note of coins must be worth says nothing of a jetton's. */
function checkDenomination(plan: PoolPlan, prices: Prices, options: DeployOptions): void {
  const least = GAS_FEES_PER_NOTE * prices.gasFee(GAS_HIGHEST_PATH);
  if (isJetton(plan) || plan.denomination >= least) return;
  const text = `a denomination of ${plan.amount} is below ${formatUnits(least)}: ` +
    "fees would eat much of each note";
  if (options.network === "mainnet") throw new Problem("invalid_amount", text);
  options.warn?.(text);
}

/** Mainnet's pools have nobody above them, no network is taken for another, and a jetton is one. */
async function refuseUnsafe(
  plans: readonly PoolPlan[],
  keys: PoolKeys,
  options: DeployOptions,
): Promise<void> {
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
    else {
      const fault = await (options.vouch ?? faultOfPinnedKeys)(options.artifacts ?? openArtifacts());
      if (fault !== undefined) refuse("keys", `no ceremony vouches for them: ${fault}`);
    }
  }
  for (const plan of plans) {
    const key = poolKey(plan);
    const listed = known?.network === network ? known.pools.get(key)?.address : undefined;
    if (listed && !listed.equals(plan.address)) {
      refuse(
        "registry",
        `lists another pool as ${key}, ${listed}: deploy the next generation, use another registry, ` +
          "or take that entry out first",
      );
    }
    const other = known?.network === network &&
      [...known.pools].find(([name, { address }]) => name !== key && address.equals(plan.address));
    if (other) refuse("registry", `lists this pool as ${other[0]} already`);
    if (isJetton(plan)) errors.push(...await jettonFaults(chain, plan));
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `deployment on ${network} is refused`, { errors });
  }
}

/** Asks before money moves, then sends what is missing: questions to masters first, for a pool can ask only once. */
async function send(
  todo: readonly Todo[],
  prices: Prices,
  { label }: PoolKeys,
  options: DeployOptions,
): Promise<void> {
  const { wallet, confirm } = options;
  const missing = todo.filter(({ deploy }) => deploy).map(({ plan }) => plan);
  const curious = todo.filter(({ discover }) => discover).map(({ plan }) => plan).filter(isJetton);
  if (missing.length + curious.length === 0) return;
  const rent = prices.storageFee(YOUNG_POOL);
  const value = rent > INITIAL_BALANCE ? rent : INITIAL_BALANCE;
  const needed = value * BigInt(missing.length) + 2n * QUESTION_VALUE * BigInt(curious.length);
  const balance = await wallet.balance();
  if (balance <= needed) {
    const text = `wallet ${wallet.format()} holds ${formatUnits(balance)}, ` +
      `the pools need ${formatUnits(needed)} and fees`;
    throw new Problem("insufficient_funds", text);
  }
  const messages = [
    ...missing.map(({ address, init }): OutgoingMessage => ({ to: address, init, value, bounce: false })),
    ...curious.map(discoverMessage), // after the pool itself: messages to one account keep their order
  ];
  if (messages.length > wallet.maxMessages) {
    throw new RangeError(`this wallet deploys with ${wallet.maxMessages} messages at once`);
  }
  await confirm?.({ pools: missing, value: needed, balance, keys: label });
  if (curious.length > 0) await probeMasters(curious, wallet, options);
  await wallet.send(messages);
}

async function waitUntilActive(address: Address, options: DeployOptions): Promise<void> {
  const { chain } = options;
  const stands = await waitUntil(
    async () => (await chain.account(address, options)).state === "active",
    options,
  );
  if (!stands) {
    throw new Problem(
      "chain_unavailable",
      `pool ${shownAddress(address, chain.network)} did not appear; run it again to see whether it does`,
    );
  }
}

async function verify({ kind, address, denomination, owner, jetton }: PoolPlan, { chain }: DeployOptions) {
  const { code } = await chain.account(address);
  const pool = new Pool(chain, address);
  const info = await pool.getPoolInfo();
  const sameOwner = owner ? info.owner?.equals(owner) === true : info.owner === null;
  const sameMaster = !jetton || info.jettonMaster?.equals(jetton.master) === true;
  const differs = [
    code?.hash().toString("hex") === loadPoolCode(kind).codeHash ? "" : "code",
    await pool.getDenomination() === denomination ? "" : "denomination",
    info.assetKind === kind ? "" : "asset",
    sameMaster ? "" : "jetton",
    sameOwner ? "" : "owner",
  ].filter((what) => what !== "");
  if (differs.length > 0) {
    throw new Problem(
      "chain_inconsistent",
      `pool ${shownAddress(address, chain.network)} on chain has another ${differs.join(", ")}`,
    );
  }
}
