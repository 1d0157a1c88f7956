/** Withdrawals that exactly one check of the policy refuses. */
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PriceCache } from "../../../src/relay/withdrawals/price_cache.ts";
import { type Candidate, type CheckDeps } from "../../../src/relay/withdrawals/checks.ts";
import type { Job } from "../../../src/store/store.ts";
import { holding, newerRoots, reached, recipient, stranger, withClaims } from "./withdrawal_candidate.ts";

/** Returns a ready pool whose registry entry or roots differ from those of `pool`. */
export function alteredPool(
  pool: PoolState,
  change: Partial<PoolState["deployment"]>,
  roots = pool.roots,
): PoolState {
  const other = new PoolState(pool.key, { ...pool.deployment, ...change }, 60_000, "localnet");
  other.roots = roots;
  other.markSynced(Date.now());
  return other;
}

/** Returns the checks' dependencies with a store that knows a job of the request. */
function knowingJob({ deps, pool, request }: Base, more: Partial<Job>): CheckDeps {
  const job: Job = {
    pool: pool.id,
    nullifierHash: request.signals.nullifierHash,
    state: "accepted",
    queryId: 1n,
    root: request.signals.root,
    fee: request.fee,
    refund: request.refund,
    failures: 0,
    acceptedAt: 0,
    ...more,
  };
  return { ...deps, store: { ...deps.store, job: () => Promise.resolve(job) } };
}

/** The parts that a good withdrawal and its broken variants have in common. */
interface Base {
  readonly candidate: Candidate;
  readonly request: Candidate["request"];
  /** A request for a note that is spent. */
  readonly spentRequest: Candidate["request"];
  readonly deps: CheckDeps;
  readonly pool: PoolState;
  readonly prices: Awaited<ReturnType<PriceCache["getPrices"]>>;
}

/** Returns a candidate for the name of each check, which only this check refuses. */
export async function breakEachCheck(base: Base): Promise<Record<string, Candidate>> {
  const { candidate, request, spentRequest, deps, pool, prices } = base;
  const stopped = alteredPool(pool, {});
  stopped.markNotReady("its root is not on chain");
  const expensive = {
    getPrices: () => Promise.resolve({ ...prices, gasFee: (gas: bigint) => 9n * prices.gasFee(gas) }),
  };
  const { proof } = request as { proof: { pi_a: unknown; pi_c: unknown } };
  return {
    "relayer is us": { ...candidate, deps: { ...deps, wallet: { ...deps.wallet, address: stranger } } },
    "pool has a minimum fee": {
      ...candidate,
      pool: Object.assign(alteredPool(pool, {}), { lacksMinFee: true }),
    },
    "recipient is the proven one": { ...candidate, request: { ...request, recipient: stranger } },
    "a jetton pool pays the recipient": {
      ...candidate,
      pool: alteredPool(pool, { asset: "jet", jettonWallet: recipient }),
    },
    "fee is the proven one": { ...candidate, request: { ...request, fee: request.fee + 1n } },
    "refund is the proven one": { ...candidate, request: { ...request, refund: request.refund + 1n } },
    "fee reaches the floor": { ...candidate, deps: { ...deps, feeMinNano: request.fee + 1n } },
    "fee is below the denomination": { ...candidate, pool: alteredPool(pool, { denomination: request.fee }) },
    "refund is paid by the fee, or a gift the operator allows": {
      ...candidate,
      pool: alteredPool(pool, { maxRefund: 0n }),
    },
    "nullifier is in neither a payment nor a live job": { ...candidate, deps: knowingJob(base, {}) },
    "pool is not retired": { ...candidate, pool: alteredPool(pool, { retired: true }) },
    "the retry delay is over": {
      ...candidate,
      deps: knowingJob(base, { state: "failed", failures: 1, endedAt: Date.now() }),
    },
    "pool is ready": { ...candidate, pool: Object.assign(stopped, { roots: pool.roots }) },
    "no message would freeze the pool": {
      ...candidate,
      pool: Object.assign(alteredPool(pool, {}), { isNearFreezing: true }),
    },
    "root is accepted": { ...candidate, pool: alteredPool(pool, {}, [5n]) },
    "root stays accepted for three more roots": {
      ...candidate,
      pool: alteredPool(pool, {}, newerRoots(27, request)),
    },
    "proof verifies": {
      ...candidate,
      request: { ...request, proof: { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a } },
    },
    "note is unspent on chain": { ...candidate, request: spentRequest },
    "the pool's payouts are not blocked": {
      ...candidate,
      pool: alteredPool(pool, { asset: "jet" }),
      deps: { ...deps, poolCache: withClaims(await deps.poolCache.getPoolInfo(pool), 255) },
    },
    "fee covers the cost": {
      ...candidate,
      deps: { ...deps, priceCache: expensive as unknown as PriceCache },
    },
    "hourly caps are not reached": { ...candidate, deps: { ...deps, hourlyCaps: await reached() } },
    "wallet is above its stop": {
      ...candidate,
      deps: { ...deps, balance: holding(10n ** 9n, 10n ** 9n + 1n) },
    },
    "wallet can pay for it": { ...candidate, deps: { ...deps, balance: holding(1_000_000n, 1_000_000n) } },
  };
}
