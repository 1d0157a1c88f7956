/** Audits a pool using only the chain. The audit fails where a getter contradicts the logs. */
import type { Address } from "@ton/core";
import type { Deployments } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import type { AccountInfo, Chain } from "../../ton/chain.ts";
import { PoolGetters, type PoolInfo } from "../../ton/pool/pool_getters.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { findPoolGeneration, loadPoolCode, poolKindOf } from "../../ton/pool/state_init.ts";
import { fetchNetworkVersion } from "../../ton/network_version.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import type { PoolFunds } from "../../ton/pool/pool_funds.ts";
import { auditChecks, auditedFunds, type Check } from "./audit_checks.ts";
import { fetchStorageBill } from "../../ton/account_storage.ts";
import { type JettonFacts, readJettonFacts } from "./jetton_facts.ts";
import type { PoolFacts } from "./pool_facts.ts";
import { checkPoolKeys } from "../keys/pool_keys.ts";
import { rebuildTree } from "./rebuilt_tree.ts";
import { type KnownHistory, rebuildV2Pool } from "./v2/rebuilt_pool.ts";
import { tryDecodeV2PoolData } from "./v2/v2_facts.ts";

export interface AuditOptions {
  readonly chain: Chain;
  readonly network: Network;
  readonly address: Address;
  readonly registry?: Deployments;
  readonly artifacts?: Artifacts;
  readonly signal?: AbortSignal;
  readonly onProgress?: (transactions: number) => void;
  /** Version 2 pools only: the known part of the history, which is not read from the chain. */
  readonly known?: KnownHistory;
}

/** `facts` and `funds` are absent if there is no pool at the address. */
export interface PoolAudit {
  readonly address: Address;
  readonly sound: boolean; // no check failed; there may be warnings
  readonly checks: readonly Check[];
  readonly facts?: PoolFacts;
  readonly funds?: PoolFunds;
}

const MAX_READ_ATTEMPTS = 5;

/** Throws `chain_unavailable` or `chain_inconsistent`, which says nothing about the pool. */
export async function auditPool(options: AuditOptions): Promise<PoolAudit> {
  const { chain, network, address, registry, artifacts } = options;
  const snapshot = await readSnapshot(options);
  if (typeof snapshot === "string") {
    return { address, sound: false, checks: [{ name: "account", verdict: "failed", detail: snapshot }] };
  }
  const { account, code, data, info, denomination } = snapshot;
  const expected = loadPoolCode(poolKindOf(info.assetKind, info.version));
  const build = { ...expected, keys: await checkPoolKeys(artifacts, expected) };
  const prices = await fetchNetworkPrices(chain);
  const bill = await fetchStorageBill(chain, { address, account, code, data, prices }, options);
  const listed = registry && [...registry.pools].find(([, pool]) => pool.address.equals(address));
  const facts: PoolFacts = {
    ...snapshot,
    network,
    networkVersion: await fetchNetworkVersion(chain, options),
    address,
    codeHash: code.hash().toString("hex"),
    build,
    generation: generationOf(address, info, denomination),
    ...listed ? { registryEntry: { key: listed[0], deployment: listed[1] } } : {},
    balance: account.balance,
    readAt: account.syncUtime,
    storageDue: bill.due,
    storagePerYear: bill.perYear,
    ...await rebuildFromLogs(snapshot, options),
  };
  const checks = auditChecks(facts);
  const sound = checks.every(({ verdict }) => verdict !== "failed");
  return { address, sound, checks, facts, funds: auditedFunds(facts) };
}

async function rebuildFromLogs(
  { account, data, settleInfo }: Snapshot,
  options: AuditOptions,
): Promise<Pick<PoolFacts, "rebuilt" | "version2">> {
  const { chain, address } = options;
  const scan = { ...options, newest: account.last };
  if (!settleInfo) return { rebuilt: await rebuildTree(chain, address, scan) };
  const rebuilt = await rebuildV2Pool(chain, address, scan);
  return { rebuilt, version2: { settleInfo, rebuilt, stored: tryDecodeV2PoolData(data) } };
}

type Snapshot = Exclude<Awaited<ReturnType<typeof readSnapshot>>, string>;

function generationOf(address: Address, info: PoolInfo, denomination: bigint): number | undefined {
  const { assetKind, version, owner, jettonMaster } = info;
  if (assetKind === "native") return findPoolGeneration(address, { denomination, owner, version });
  return jettonMaster
    ? findPoolGeneration(address, { denomination, owner, jettonMaster, version })
    : undefined;
}

/** Reads account and getters between two transactions, or returns why there is no pool. */
async function readSnapshot({ chain, address, signal }: AuditOptions) {
  const pool = new PoolGetters(chain, address);
  for (let attempt = 0; attempt < MAX_READ_ATTEMPTS; attempt++) {
    const account: AccountInfo = await chain.account(address, { signal });
    const { state, code, data } = account;
    if (state !== "active" || !code || !data) {
      return `the account is ${state}: there is no pool at this address`;
    }
    try {
      const getters = {
        info: await pool.getPoolInfo({ signal }),
        denomination: await pool.getDenomination({ signal }),
        nextIndex: await pool.getNextIndex({ signal }),
        roots: await pool.getRootHistory({ signal }),
        currentRoot: await pool.getCurrentRoot({ signal }),
      };
      // The pool counts a payment before its wallet makes it, so the wallet covers the notes.
      const jetton: JettonFacts | undefined = getters.info.assetKind === "jetton"
        ? await readJettonFacts(chain, address, getters.info, { signal })
        : undefined;
      const settleInfo = getters.info.version === 2
        ? await new V2Pool(chain, address).getSettleInfo({ signal })
        : undefined;
      const { last } = await chain.account(address, { signal });
      if (last?.lt === account.last?.lt) return { account, code, data, ...getters, jetton, settleInfo };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "contract_refused") throw error;
      return `the account does not respond like a pool: ${error.message}`;
    }
  }
  const addressText = formatAddress(address, chain.network);
  throw new Problem(
    "chain_inconsistent",
    `pool ${addressText} changed during each of ${MAX_READ_ATTEMPTS} reads; run the command again`,
  );
}
