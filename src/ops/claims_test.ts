import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address, type Transaction } from "@ton/core";
import { storeRetryPayout } from "../core/protocol/messages/pool_messages.ts";
import type { Clock } from "../core/time/clock.ts";
import type { ChainTransaction, TransactionId } from "../ton/chain.ts";
import type { Pool } from "../ton/pool/pool.ts";
import type { Claim } from "../ton/pool/pool_getters.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet/wallet.ts";
import { listClaims, retryClaims, walletRetryPayer } from "./claims.ts";

const address = new Address(0, Buffer.alloc(32, 1));
const recipient = (n: number) => new Address(0, Buffer.alloc(32, n));
const claim = (id: number, amount = BigInt(id), to = 9): Claim => ({
  id: BigInt(id),
  amount,
  destination: recipient(to),
});

/** The transaction of a retry. */
function retryTransaction(id: bigint, lt: bigint, aborted: boolean): ChainTransaction {
  const raw = {
    inMessage: { info: { type: "internal", bounced: false }, body: storeRetryPayout(id) },
    outMessages: { values: () => [] },
    description: { type: "generic", aborted },
  } as unknown as Transaction;
  return { id: { lt, hash: "00" }, prev: lt > 1n ? { lt: lt - 1n, hash: "00" } : null, now: 0, raw };
}

/** A pool with these claims, which a getter returns in pages, after an id, and with transactions of retries. */
class Claims {
  readonly requests: [after: bigint, count: number][] = [];
  readonly transactions: ChainTransaction[] = [retryTransaction(3n, 1n, false)];

  readonly chain = {
    account: () => Promise.resolve({ last: this.transactions.at(-1)!.id }),
    transactions: (_: Address, { from }: { from: TransactionId }) =>
      Promise.resolve(this.transactions.filter(({ id }) => id.lt <= from.lt).reverse()),
  };

  /** Records retries. An accepted one removes its claim. */
  retry(ids: readonly bigint[], accepted = true): void {
    for (const id of ids) {
      this.transactions.push(retryTransaction(id, BigInt(this.transactions.length + 1), !accepted));
    }
    if (accepted) this.open = this.open.filter(({ id }) => !ids.includes(id));
  }

  constructor(public open: Claim[]) {}

  readonly address = address;

  getClaims(after: bigint, count: number): Promise<Claim[]> {
    this.requests.push([after, count]);
    return Promise.resolve(this.open.filter(({ id }) => id > after).slice(0, count));
  }
}
const listed = (claims: Claims) => listClaims(claims as unknown as Pool);

for (const count of [0, 1, 63, 64, 65, 128, 200]) {
  Deno.test(`claims: ${count} are listed once each, in pages of 64`, async () => {
    const claims = new Claims(Array.from({ length: count }, (_, i) => claim(2 * i + 1)));
    deepEqual(await listed(claims), claims.open);
    const pages = Math.floor(count / 64) + 1;
    deepEqual(
      claims.requests,
      Array.from({ length: pages }, (_, i) => [BigInt(Math.max(0, 128 * i - 1)), 64]),
    );
  });
}

function scene(open: Claim[], react: (pool: Claims, ids: readonly bigint[]) => void, balance = 1_000n) {
  const pool = new Claims([...open]);
  const sent: bigint[][] = [];
  let now = 0;
  const clock = { now: () => now, sleep: (ms: number) => (now += ms, Promise.resolve()) } as unknown as Clock;
  const wallet = {
    maxMessages: 2,
    balance: () => Promise.resolve(balance),
    format: () => "EQwallet",
    send: (messages: readonly OutgoingMessage[]) => {
      const ids = messages.map(({ body }) => {
        const slice = body!.beginParse();
        slice.skip(96); // op and query id
        return slice.loadUintBig(64);
      });
      ok(messages.every(({ to, value, bounce }) => to.equals(address) && value === 10n && bounce));
      sent.push(ids);
      react(pool, ids);
      return Promise.resolve();
    },
  } as unknown as Wallet;
  const retry = async () => {
    const payer = walletRetryPayer(wallet, 10n);
    const parts = { pool: pool as unknown as Pool, payer, claims: open, value: 10n };
    const { paid, refused } = await retryClaims(parts, { pollIntervalMs: 1_000, clock });
    const shown = (claims: readonly Claim[]) =>
      claims.map(({ id, amount, destination }) => [Number(id), Number(amount), destination.hash[0]]);
    return { paid: shown(paid), refused: shown(refused) };
  };
  return { pool, sent, retry, elapsed: () => now };
}
const take = (pool: Claims, ids: readonly bigint[]) => pool.retry(ids);

Deno.test("claims: every one is retried once, as many in a transfer as the wallet sends, and counts as paid", async () => {
  const open = [1, 2, 3, 4, 5].map((id) => claim(id));
  const { sent, retry } = scene(open, take);
  deepEqual(await retry(), { paid: [1, 2, 3, 4, 5].map((id) => [id, id, 9]), refused: [] });
  deepEqual(sent, [[1n, 2n], [3n, 4n], [5n]]);
});

Deno.test("a payout that is refused again is the same claim, also if it comes back before the next poll", async () => {
  const open = [claim(1, 7n), claim(2, 7n), claim(3, 7n, 8)];
  const { retry } = scene(open, (pool, ids) => {
    take(pool, ids);
    if (ids.includes(1n)) pool.open.push(open[0]);
  });
  const { paid, refused } = await retry();
  deepEqual(refused, [[1, 7, 9]]);
  deepEqual(paid, [[2, 7, 9], [3, 7, 8]]);
});

Deno.test("claims: another claim of the same payout does not count as the refusal", async () => {
  const { pool, retry } = scene([claim(3, 7n)], take);
  pool.open.push(claim(5, 7n));
  deepEqual(await retry(), { paid: [[3, 7, 9]], refused: [] });
});

Deno.test("a refusal that comes blocks after the retry is still seen", async () => {
  let polls = 0;
  const { pool, retry, elapsed } = scene([claim(1)], take);
  const getClaims = pool.getClaims.bind(pool);
  pool.getClaims = (after, count) => {
    if (++polls === 4) pool.open.push(claim(1));
    return getClaims(after, count);
  };
  deepEqual(await retry(), { paid: [], refused: [[1, 1, 9]] });
  ok(elapsed() >= 3_000);
});

Deno.test("a retry that the pool does not accept is an error, and later claims are not tried", async () => {
  const { sent, retry, elapsed } = scene([claim(3), claim(4), claim(5)], (pool, ids) => {
    pool.retry(ids.slice(0, 1), false);
    take(pool, ids.slice(1));
  });
  await rejects(retry(), { code: "chain_unavailable" });
  equal(sent.length, 1);
  ok(elapsed() >= 120_000 && elapsed() < 130_000, String(elapsed()));
});

Deno.test("a wallet that cannot pay a whole transfer sends nothing", async () => {
  const { sent, retry } = scene([claim(1), claim(2)], take, 19n);
  await rejects(retry(), { code: "insufficient_funds" });
  deepEqual(sent, []);
});
