/** A withdrawal on real parts that passes every check, and parts that make one check refuse it. */
import { equal } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Note } from "../../../src/core/protocol/note.ts";
import { WalletBalance } from "../../../src/relay/wallet/balance.ts";
import { type Clock, systemClock } from "../../../src/core/time/clock.ts";
import { HourlyCaps } from "../../../src/relay/withdrawals/hourly_caps.ts";
import { PoolCache } from "../../../src/relay/withdrawals/pool_cache.ts";
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PriceCache } from "../../../src/relay/withdrawals/price_cache.ts";
import { ProofVerifier } from "../../../src/relay/withdrawals/proof_verifier.ts";
import { Candidate, type WithdrawalSubmission } from "../../../src/relay/withdrawals/candidate.ts";
import { withdrawalChecks } from "../../../src/relay/withdrawals/checks.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { createMemoryRateLimitStore } from "../../../src/store/memory/memory_rate_limit_store.ts";
import type { PoolInfo } from "../../../src/ton/pool/pool_getters.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "./relayer_harness.ts";

export const KEY = "native-1";
export const recipient = Address.parse(`0:${"42".repeat(32)}`);
export const stranger = Address.parse(`0:${"43".repeat(32)}`);

/** Returns the getters of a pool with open claims. */
export function withClaims(info: PoolInfo, claims: number): PoolCache {
  const poolCache = {
    getPoolInfo: () => Promise.resolve({ ...info, claims }),
    getIsSpent: () => Promise.resolve(false),
    getWithdrawValue: () => Promise.resolve(1n),
  };
  return poolCache as unknown as PoolCache;
}

/** The checks up to those of the root. */
export const untilRoot = withdrawalChecks.slice(
  0,
  withdrawalChecks.findIndex(({ name }) => name === "proof verifies"),
);

/** Returns a full history in which `newer` roots are newer than the request's. */
export function newerRoots(newer: number, { signals }: WithdrawalSubmission): bigint[] {
  return Array.from({ length: 30 }, (_, i) => i === newer ? signals.root : 1_000n + BigInt(i));
}

/** Returns a wallet with this fixed balance. */
export function holding(balance: bigint, stop: bigint): WalletBalance {
  return new WalletBalance({ balance: () => Promise.resolve(balance) }, systemClock, { warn: 0n, stop });
}

/** Returns caps that another withdrawal has reached. */
export async function reached(): Promise<HourlyCaps> {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 0 });
  await caps.reserve({ pool: "0:aa", nullifierHash: 1n });
  return caps;
}

export async function refusals(candidate: Candidate): Promise<string[]> {
  const names = [];
  for (const { name, refusal } of withdrawalChecks) if (await refusal(candidate)) names.push(name);
  return names;
}

/**
 * Returns a request for a refund that the operator's policy allows but the fee does not cover: 0.06 - 0.02 is
 * below the floor of 0.05.
 */
export async function requestOf(net: RelayerHarness, note: Note): Promise<WithdrawalSubmission> {
  const { proof, publicSignals, fee, refund } = await net.withdrawal(KEY, note, {
    recipient,
    refund: 20_000_000n,
  });
  const [root, nullifierHash, recipientField, relayer, feeSignal, refundSignal] = publicSignals.map(BigInt);
  return {
    pool: net.pool(KEY).address,
    proof,
    signals: {
      root,
      nullifierHash,
      recipient: recipientField,
      relayer,
      fee: feeSignal,
      refund: refundSignal,
    },
    recipient,
    fee: BigInt(fee),
    refund: BigInt(refund),
  };
}

/** Withdraws without this relayer's store: anyone may submit a withdrawal that pays the relayer. */
export async function withdrawDirectly(
  net: RelayerHarness,
  { signals, proof, fee, refund }: WithdrawalSubmission,
): Promise<void> {
  const pool = net.contract(KEY);
  const { root, nullifierHash } = signals;
  const args = {
    root,
    nullifierHash,
    fee,
    refund,
    recipient,
    relayer: net.relayerAddress,
    proof: proof as never,
  };
  await pool.sendWithdraw(net.user.sender(), args);
  await waitUntil("spent", () => pool.getIsSpent(nullifierHash));
}

export async function candidateOf(net: RelayerHarness, request: WithdrawalSubmission): Promise<Candidate> {
  const { chain } = net;
  const { mnemonic, version } = net.localnet.relayer;
  const pool = new PoolState(KEY, net.pool(KEY), 60_000, "localnet");
  pool.roots = await net.contract(KEY).getRootHistory();
  const now = Date.now();
  const clock: Clock = { ...systemClock, now: () => now }; // stopped: on a busy machine the checks can take minutes
  pool.markSynced(now);
  equal(pool.roots.includes(request.signals.root), true);
  const store = await openKvStore(net.directory);
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  return new Candidate({
    request,
    pool,
    deps: {
      wallet,
      balance: new WalletBalance(wallet, systemClock, { warn: 0n, stop: 0n }),
      unjournaled: new Map(),
      store: {
        batchLimit: store.batchLimit,
        job: (id) => store.job(id),
        withdrawal: (id, nullifierHash) => store.withdrawal(id, nullifierHash),
        liveJobs: () => store.liveJobs(),
        close: () => store.close(),
      } as typeof store,
      proofVerifier: new ProofVerifier(net.prover),
      poolCache: new PoolCache(chain, systemClock),
      priceCache: new PriceCache(chain, systemClock),
      clock,
      feeBps: 50,
      feeMinNano: 50_000_000n,
      pools: new Map([[pool.id, pool]]),
    },
  });
}
