/** The messages about refused payouts of a version 1 jetton pool, as the gas tables list them. */
import { Address } from "@ton/core";
import { storeRetryPayout } from "../../src/core/protocol/messages/pool_messages.ts";
import { bounce, payout } from "../chain/bounced_payout.ts";
import type { PoolState } from "../chain/pool_storage.ts";
import { manyClaims } from "../chain/v2/claims.ts";
import type { EntryPoint } from "./entry_points.ts";
import type { MeasuredPool } from "./measured_pool.ts";

const VALUE = 1_000_000_000n;
/** The number of open claims at which a pool refuses withdrawals. */
export const BLOCKING_CLAIMS = 255;
/** The maximum number of claims that a pool stores. */
const CLAIM_CAPACITY = 3_072;

/** Returns the state of the bench's jetton with this number of open claims. */
export function withClaims({ jettons }: MeasuredPool, count: number): Pick<PoolState, "jetton"> {
  const claims = new Map(manyClaims(count).map(({ id, ...claim }) => [id, claim]));
  return { jetton: { master: jettons!.minter.address, wallet: jettons!.poolWallet, claims } };
}

const name = (what: string, claims: number) =>
  `${what}, ${claims.toLocaleString("en")} claim${claims === 1 ? "" : "s"} open`;

/** Returns the message that retries the claim in the middle. */
const retry = (claims: number): EntryPoint => ({
  name: name("retry payout", claims),
  poolKind: "jetton",
  send: async (bench) => {
    await bench.reset(withClaims(bench, claims));
    const { id } = manyClaims(claims)[claims >> 1];
    return await bench.pool.send(storeRetryPayout(id), VALUE);
  },
});

/** Returns the wallet's refusal of a payout. Ids are logical times, so its claim follows all others. */
const refusal = (claims: number): EntryPoint => ({
  name: name("payout refused", claims),
  poolKind: "jetton",
  send: async (bench) => {
    await bench.reset(withClaims(bench, claims));
    const body = bounce(payout(new Address(0, Buffer.alloc(32, 5)), 1_000n), {
      lt: BigInt(claims + 1) * 1_000_003n,
    });
    const from = bench.jettons!.poolWallet;
    return await bench.pool.send(body, VALUE, { from, bounce: false, bounced: true });
  },
});

export const claimEntryPoints: readonly EntryPoint[] = [
  ...[0, 255, CLAIM_CAPACITY - 1, CLAIM_CAPACITY].map(refusal),
  ...[1, 256, CLAIM_CAPACITY].map(retry),
  {
    name: "retry payout, unknown claim",
    poolKind: "jetton",
    exitCode: "ERR_UNKNOWN_CLAIM",
    send: async (bench) => {
      await bench.reset(withClaims(bench, BLOCKING_CLAIMS));
      return await bench.pool.send(storeRetryPayout(1n), VALUE);
    },
  },
];
