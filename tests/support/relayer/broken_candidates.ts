/** Withdrawals that exactly one check of the policy refuses. */
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PriceCache } from "../../../src/relay/withdrawals/price_cache.ts";
import { Candidate, type CheckDeps } from "../../../src/relay/withdrawals/candidate.ts";
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
  readonly request: Candidate["request"];
  /** A request for a note that is spent. */
  readonly spentRequest: Candidate["request"];
  readonly deps: CheckDeps;
  readonly pool: PoolState;
  readonly prices: Awaited<ReturnType<PriceCache["getPrices"]>>;
}

/** Returns a candidate for the name of each check, which only this check refuses. */
export async function breakEachCheck(base: Base): Promise<Record<string, Candidate>> {
  const { request, spentRequest, deps, pool, prices } = base;
  const stopped = alteredPool(pool, {});
  stopped.markNotReady("its root is not on chain");
  const expensive = {
    getPrices: () => Promise.resolve({ ...prices, gasFee: (gas: bigint) => 9n * prices.gasFee(gas) }),
  };
  const { proof } = request as { proof: { pi_a: unknown; pi_c: unknown } };
  const broken = (change: Partial<Pick<Candidate, "request" | "pool" | "deps">>) =>
    new Candidate({ request, pool, deps, ...change });
  return {
    "relayer is us": broken({ deps: { ...deps, wallet: { ...deps.wallet, address: stranger } } }),
    "pool has a minimum fee": broken({ pool: Object.assign(alteredPool(pool, {}), { lacksMinFee: true }) }),
    "recipient is the proven one": broken({ request: { ...request, recipient: stranger } }),
    "a jetton pool pays the recipient": broken({
      pool: alteredPool(pool, { asset: "jet", jettonWallet: recipient }),
    }),
    "fee is the proven one": broken({ request: { ...request, fee: request.fee + 1n } }),
    "refund is the proven one": broken({ request: { ...request, refund: request.refund + 1n } }),
    "fee reaches the floor": broken({ deps: { ...deps, feeMinNano: request.fee + 1n } }),
    "fee is below the denomination": broken({ pool: alteredPool(pool, { denomination: request.fee }) }),
    "refund is paid by the fee, or a gift the operator allows": broken({
      pool: alteredPool(pool, { maxRefund: 0n }),
    }),
    "nullifier is in neither a payment nor a live job": broken({ deps: knowingJob(base, {}) }),
    "pool is not retired": broken({ pool: alteredPool(pool, { retired: true }) }),
    "the retry delay is over": broken({
      deps: knowingJob(base, { state: "failed", failures: 1, endedAt: Date.now() }),
    }),
    "pool is ready": broken({ pool: Object.assign(stopped, { roots: pool.roots }) }),
    "no message would freeze the pool": broken({
      pool: Object.assign(alteredPool(pool, {}), { isNearFreezing: true }),
    }),
    "root is accepted": broken({ pool: alteredPool(pool, {}, [5n]) }),
    "root stays accepted for three more roots": broken({
      pool: alteredPool(pool, {}, newerRoots(27, request)),
    }),
    "proof verifies": broken({
      request: { ...request, proof: { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a } },
    }),
    "note is unspent on chain": broken({ request: spentRequest }),
    "the pool's payouts are not blocked": broken({
      pool: alteredPool(pool, { asset: "jet" }),
      deps: { ...deps, poolCache: withClaims(await deps.poolCache.getPoolInfo(pool), 255) },
    }),
    "fee covers the cost": broken({ deps: { ...deps, priceCache: expensive as unknown as PriceCache } }),
    "hourly caps are not reached": broken({ deps: { ...deps, hourlyCaps: await reached() } }),
    "wallet is above its stop": broken({ deps: { ...deps, balance: holding(10n ** 9n, 10n ** 9n + 1n) } }),
    "wallet can pay for it": broken({ deps: { ...deps, balance: holding(1_000_000n, 1_000_000n) } }),
  };
}
