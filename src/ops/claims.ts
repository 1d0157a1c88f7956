import { Problem } from "../core/errors/problem.ts";
import { storeRetryPayout } from "../core/protocol/messages/pool_messages.ts";
import { type Clock, systemClock } from "../core/time/clock.ts";
import { pollUntil } from "../core/time/deadline.ts";
import { fetchNetworkPrices } from "../ton/network_prices.ts";
import type { Pool } from "../ton/pool/pool.ts";
import type { Claim } from "../ton/pool/pool_getters.ts";
import { computeRetryCost } from "../ton/pool/retry_cost.ts";
import { readRetriedClaims } from "./rescue/open_claims.ts";
import { assertFunds } from "../ton/wallet/funds.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet/wallet.ts";

const CLAIMS_PER_PAGE = 64; // maximum that the getter returns
/** Until the transfer has expired, and the refusal of one that arrived last has come back a few blocks later. */
const SETTLE_TIMEOUT_MS = 120_000;

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

export interface RetryResult {
  readonly paid: readonly Claim[];
  readonly refused: readonly Claim[]; // refused again: they are claims with the same ids
}

/** Pays the messages of retries. */
export interface RetryPayer {
  readonly maxMessages: number;
  /** @throws {Problem} if nothing was sent. Returns the failure if the messages may still arrive. */
  pay(messages: readonly OutgoingMessage[]): Promise<Problem | undefined>;
}

/** @param value nano for each message. It throws `insufficient_funds`. */
export function walletRetryPayer(wallet: Wallet, value: bigint): RetryPayer {
  return {
    maxMessages: wallet.maxMessages,
    async pay(messages) {
      await assertFunds(wallet, value * BigInt(messages.length), "retry");
      await wallet.send(messages);
      return undefined;
    },
  };
}

/** `value` in nano for each claim. Throws as the payer does, or `chain_unavailable` after a timeout. */
export async function retryClaims(
  { pool, payer, claims, value }: {
    readonly pool: Pool;
    readonly payer: RetryPayer;
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
  for (let i = 0; i < claims.length; i += payer.maxMessages) {
    const batch = claims.slice(i, i + payer.maxMessages);
    const { last } = await pool.chain.account(pool.address, { signal });
    const failure = await payer.pay(batch.map((claim) => buildRetryMessage(pool, claim, value)));
    let open: readonly bigint[] = [];
    let isAccepted = false;
    let quietPolls = 0;
    await pollUntil(async () => {
      // A claim whose payout was refused again at once was open in every poll.
      const retried = await readRetriedClaims(pool.chain, pool.address, last, signal);
      open = (await listClaims(pool)).map(({ id }) => id);
      isAccepted = batch.every(({ id }) => retried.has(id) || !open.includes(id));
      // A refused payout needs two more hops than the retry itself, at most a few blocks.
      if (isAccepted) quietPolls++;
      return quietPolls > QUIET_POLLS;
    }, { intervalMs: pollIntervalMs, timeoutMs: SETTLE_TIMEOUT_MS, signal, clock });
    if (!isAccepted) {
      throw failure ? mayArrive(failure) : new Problem(
        "chain_unavailable",
        "the pool did not process the retry in time; run the command again",
      );
    }
    paid.push(...batch.filter(({ id }) => !open.includes(id)));
    refused.push(...batch.filter(({ id }) => open.includes(id)));
  }
  return { paid, refused };
}

function mayArrive(cause: Problem): Problem {
  return new Problem("wallet_unavailable", `${cause.message}. The payment may still arrive`, {
    hint:
      "Decline the request if the wallet still shows it. Then list the open claims with `tonado pool claims` " +
      "before you retry them.",
    cause,
  });
}
