/**
 * The audit of a deployed pool, from nothing but the chain: its code, its first state, its money, and its tree rebuilt
 * from its own logs. It sends nothing and believes no getter that the logs contradict.
 */
import type { Address } from "@ton/core";
import type { Deployments } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { Network } from "../core/network.ts";
import type { Artifacts } from "../prover/artifacts.ts";
import type { AccountInfo, Chain } from "../ton/chain.ts";
import { Pool, type PoolInfo } from "../ton/pool.ts";
import { loadPoolCode, poolGeneration } from "../ton/pool_state.ts";
import { readPrices } from "../ton/prices.ts";
import { auditChecks, type Check, type PoolMoney, poolMoney } from "./audit_checks.ts";
import { storageSize } from "./cells.ts";
import { type JettonFacts, jettonFacts } from "./jetton_facts.ts";
import type { PoolFacts } from "./pool_facts.ts";
import { checkPoolKeys } from "./pool_keys.ts";
import { rebuildTree } from "./rebuilt_tree.ts";

/** Which pool, and what it is held against. */
export interface InspectOptions {
  readonly chain: Chain;
  readonly network: Network;
  readonly address: Address;
  /** The registry, to compare with its entry for this address. */
  readonly known?: Deployments;
  /** Where the keys are read from; default: this build's. */
  readonly artifacts?: Artifacts;
  readonly signal?: AbortSignal;
  /** Told how many transactions of the pool were read. */
  readonly onProgress?: (transactions: number) => void;
}

/** An audit. `facts` and `money` are absent when there is no pool to tell them of. */
export interface PoolAudit {
  readonly address: Address;
  /** Nothing failed; there may be warnings. */
  readonly sound: boolean;
  readonly checks: readonly Check[];
  readonly facts?: PoolFacts;
  readonly money?: PoolMoney;
}

const SECONDS_A_YEAR = 31_557_600n;
/** How often a pool may move while it is being read. */
const ATTEMPTS = 5;

/**
 * Audits a pool.
 *
 * @throws {Problem} when the chain cannot be read, or contradicts itself: then nothing is known of the pool
 */
export async function inspectPool(options: InspectOptions): Promise<PoolAudit> {
  const { chain, network, address, known, artifacts } = options;
  const snapshot = await read(options);
  if (typeof snapshot === "string") {
    return { address, sound: false, checks: [{ name: "account", verdict: "failed", detail: snapshot }] };
  }
  const { account, code, data, info, denomination } = snapshot;
  const expected = loadPoolCode(info.assetKind);
  const build = { ...expected, keys: await checkPoolKeys(artifacts, expected) };
  const prices = await readPrices(chain);
  const size = storageSize({ code, data });
  const newest = account.last &&
    (await chain.transactions(address, { ...options, limit: 1, from: account.last }))[0];
  const idle = BigInt(Math.max(0, newest ? account.syncUtime - newest.now : 0));
  const listed = known && [...known.pools].find(([, pool]) => pool.address.equals(address));
  const facts: PoolFacts = {
    ...snapshot,
    network,
    address,
    codeHash: code.hash().toString("hex"),
    build,
    generation: originOf(address, info, denomination),
    ...listed ? { listed: { key: listed[0], deployment: listed[1] } } : {},
    balance: account.balance,
    due: prices.storageFee({ ...size, seconds: idle }),
    perYear: prices.storageFee({ ...size, seconds: SECONDS_A_YEAR }),
    rebuilt: await rebuildTree(chain, address, { ...options, newest: account.last }),
  };
  const checks = auditChecks(facts);
  const sound = checks.every(({ verdict }) => verdict !== "failed");
  return { address, sound, checks, facts, money: poolMoney(facts) };
}

/** As which generation this build would have deployed it, empty. A jetton pool learns of its wallet only after that. */
function originOf(address: Address, info: PoolInfo, denomination: bigint): number | undefined {
  const { assetKind, owner, jettonMaster } = info;
  if (assetKind === "native") return poolGeneration(address, { denomination, owner });
  return jettonMaster ? poolGeneration(address, { denomination, owner, jettonMaster }) : undefined;
}

/** Account and getters as of one transaction; or why there are none. */
async function read({ chain, address, signal }: InspectOptions) {
  const pool = new Pool(chain, address);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const account: AccountInfo = await chain.account(address, { signal });
    const { state, code, data } = account;
    if (state !== "active" || !code || !data) return `the account is ${state}: there is no pool`;
    try {
      const answers = {
        info: await pool.getPoolInfo({ signal }),
        denomination: await pool.getDenomination({ signal }),
        nextIndex: await pool.getNextIndex({ signal }),
        roots: await pool.getRootHistory({ signal }),
        currentRoot: await pool.getCurrentRoot({ signal }),
      };
      // The wallet holds what it owes while the pool stays as it is: what it pays the pool has counted before.
      const jetton: JettonFacts | undefined = answers.info.assetKind === "jetton"
        ? await jettonFacts(chain, address, answers.info, { signal })
        : undefined;
      const { last } = await chain.account(address, { signal });
      if (last?.lt === account.last?.lt) return { account, code, data, ...answers, jetton };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "contract_refused") throw error;
      return `the account does not answer as a pool does: ${error.message}`;
    }
  }
  const shown = shownAddress(address, chain.network);
  throw new Problem("chain_inconsistent", `pool ${shown} did not stay the same while it was read`);
}
