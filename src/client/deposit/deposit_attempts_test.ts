import { deepEqual, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { forgeDepositLog, forgeTransaction } from "../../../testkit/simulation/forged_history.ts";
import type { Note } from "../../core/protocol/note.ts";
import { zeros } from "../../core/tree/zeros.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import { type DepositRequest, type DepositTransport, runDepositAttempts } from "./deposit_attempts.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const COMMITMENT = 11n;
const VALID_UNTIL = 1_800_000_060;
const GRACE_SECONDS = 30;

const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: 1_700_000_000 } as ChainTransaction;
const first = { ...forgeTransaction(address, genesis, undefined), prev: null };
const accepted = forgeTransaction(address, first, forgeDepositLog(COMMITMENT, 0, 5));

const transport: DepositTransport = {
  expiryGraceSeconds: GRACE_SECONDS,
  buildMessage: () => ({}) as OutgoingMessage,
  isOwnRefusal: () => true,
  timeoutMessage: "nothing was deposited",
};

function depositWith(times: readonly number[], acceptedAt?: number) {
  const left = [...times];
  let chainTime = 0;
  const history = () => chainTime === acceptedAt ? [accepted, first] : [first];
  const int = (value: bigint): TupleItem => ({ type: "int", value });
  const none: TupleItem = { type: "null" };
  const answers: Record<string, readonly TupleItem[]> = {
    getNextIndex: [int(0n)],
    get_root_history: [{
      type: "tuple",
      items: Array.from({ length: 30 }, (_, i) => int(i === 0 ? zeros[20] : 0n)),
    }],
    // native, version 1, not paused, without deposits
    get_pool_info: [int(0n), none, none, none, int(0n), int(0n), int(0n), int(1n << 20n), int(0n), int(0n)],
  };
  const chain = {
    account: () => Promise.resolve({ last: history()[0].id }),
    transactions: (_address: Address, { from, limit }: { from?: { hash: string }; limit: number }) => {
      const start = history().findIndex(({ id }) => id.hash === from?.hash);
      return Promise.resolve(history().slice(start, start + limit));
    },
    runGetMethod: (_address: Address, method: string) =>
      Promise.resolve(new TupleReader([...answers[method]])),
  } as unknown as Chain;
  const wallet = {
    address,
    send: () => Promise.resolve({ hash: "h", validUntil: VALID_UNTIL }),
    state: () => {
      chainTime = left.shift() ?? Infinity;
      return Promise.resolve({ now: chainTime });
    },
  } as unknown as Wallet;
  const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };
  const request: DepositRequest = {
    chain,
    wallet,
    clock,
    network: "localnet",
    pool: new Pool(chain, address),
    note: { commitment: COMMITMENT } as Note,
    prover: { proveDeposit: () => Promise.resolve({ proof: {}, publicSignals: [] }) } as unknown as Prover,
    source: { async *commitments() {} },
  };
  return runDepositAttempts(transport, request, {});
}

Deno.test("a deposit is awaited until, by chain time, its transfer has expired and can no longer reach the pool", async () => {
  const end = VALID_UNTIL + GRACE_SECONDS;
  const { leafIndex, attempts } = await depositWith([VALID_UNTIL, VALID_UNTIL + 1, end, end + 1], end + 1);
  deepEqual([leafIndex, attempts], [0, 1]);
});

Deno.test("a deposit that has not arrived by then fails, and not earlier", async () => {
  const end = VALID_UNTIL + GRACE_SECONDS;
  await rejects(depositWith([VALID_UNTIL, end, end + 1, end + 2], end + 2), {
    code: "payment_timeout",
    message: /nothing was deposited/,
  });
});
