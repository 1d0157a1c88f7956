import { Problem } from "../core/errors/problem.ts";
import { storeRetryPayout } from "../core/protocol/messages/pool_messages.ts";
import { type Clock, pollUntil, systemClock } from "../core/time.ts";
import { fetchNetworkPrices } from "../ton/network_prices.ts";
import type { Pool } from "../ton/pool/pool.ts";
import type { Claim } from "../ton/pool/pool_getters.ts";
import { computeRetryCost } from "../ton/pool/retry_cost.ts";
import { assertFunds } from "../ton/wallet/funds.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet/wallet.ts";

const CLAIMS_PER_PAGE = 64; // maximum that the getter returns
/** Until a wallet's refusal has come back: a few blocks. */
const SETTLE_TIMEOUT_MS = 60_000;

/** Polls after the pool accepted a retry, in which a refusal would have returned. */
const QUIET_POLLS = 3;

/** Oldest first. */
export async function listClaims(pool: Pool): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let after = 0n;;) {
    const page = await pool.getClaims(after, CLAIMS_PER_PAGE);
    claims.push(...page);
    if (page.length < CLAIMS_PER_PAGE) return claims;
    after = page[page.length - 1].id;
  }
}

/** Returns nano: the pool's minimum and a quarter, most of which returns. */
export async function fetchRetryValue(pool: Pool): Promise<bigint> {
  return computeRetryCost(await fetchNetworkPrices(pool.chain)) * 5n / 4n;
}

export function buildRetryMessage(pool: Pool, { id }: Pick<Claim, "id">, value: bigint) {
  return { to: pool.address, value, bounce: true, body: storeRetryPayout(id) } satisfies OutgoingMessage;
}

interface RetryResult {
  readonly paid: readonly Claim[];
  readonly refused: readonly Claim[]; // refused again, under new ids
}

/** `value` in nano for each claim. Throws `insufficient_funds`, or `chain_unavailable` after a timeout. */
export async function retryClaims(
  { pool, wallet, claims, value }: {
    readonly pool: Pool;
    readonly wallet: Wallet;
    readonly claims: readonly Claim[];
    readonly value: bigint;
  },
  { pollIntervalMs, clock = systemClock, signal }: {
    readonly pollIntervalMs: number;
    readonly clock?: Clock;
    readonly signal?: AbortSignal;
  },
): Promise<RetryResult> {
  const [paid, refused]: [Claim[], Claim[]] = [[], []];
  for (let i = 0; i < claims.length; i += wallet.maxMessages) {
    const batch = claims.slice(i, i + wallet.maxMessages);
    await assertFunds(wallet, value * BigInt(batch.length), "retry");
    const newest = (await listClaims(pool)).at(-1)?.id ?? 0n;
    await wallet.send(batch.map((claim) => buildRetryMessage(pool, claim, value)));
    let open: readonly Claim[] = [];
    let isAccepted = false;
    let quietPolls = 0;
    await pollUntil(async () => {
      open = await listClaims(pool);
      isAccepted = !batch.some(({ id }) => open.some((claim) => claim.id === id));
      // A refused payout needs two more hops than the retry itself, at most a few blocks.
      if (isAccepted) quietPolls++;
      return quietPolls > QUIET_POLLS;
    }, { intervalMs: pollIntervalMs, timeoutMs: SETTLE_TIMEOUT_MS, signal, clock });
    if (!isAccepted) {
      throw new Problem("chain_unavailable", "the pool did not take the retry in time; run it again");
    }
    const back = open.filter(({ id }) => id > newest);
    for (const claim of batch) {
      const at = back.findIndex(({ amount, destination }) =>
        amount === claim.amount && destination.equals(claim.destination)
      );
      if (at < 0) paid.push(claim);
      else refused.push(...back.splice(at, 1));
    }
  }
  return { paid, refused };
}
