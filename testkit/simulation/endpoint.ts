/**
 * An endpoint of a simulated chain: slow, sometimes stale, sometimes failing, or losing answers after it has acted.
 * It returns transactions only with their own identifiers, as the port promises.
 */
import { beginCell, Cell, Dictionary, TupleReader } from "@ton/core";
import { Problem } from "../../src/core/errors/problem.ts";
import { ROOT_HISTORY_SIZE } from "../../src/core/tree/merkle_tree.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import type { AccountInfo, Chain, ChainTransaction, TransactionId } from "../../src/ton/chain.ts";
import { WITHDRAW_VALUE } from "./accounts.ts";
import type { SimulatedProcess } from "./simulated_process.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import type { VirtualTime } from "./virtual_time.ts";
import type { World } from "./world.ts";
import { type Account, type AccountVersion, spentKey } from "./world_state.ts";

/** Faults between a relayer and its endpoint, as probabilities per call. */
export interface EndpointFaults {
  readonly fail: number;
  readonly loseResponse: number;
  readonly stale: number;
  readonly truncate: number;
}

/** The code of all simulated pools. */
export const poolCode = beginCell().storeUint(0x706f6f6c, 32).endCell();

const config = Dictionary.loadDirect(
  Dictionary.Keys.Int(32),
  Dictionary.Values.Cell(),
  mainnetConfig(),
);
/** Most blocks that a node is behind. */
const MAX_STALE_BLOCKS = 4;

/** Opens the endpoint for one relayer process. */
export function openEndpoint(
  world: World,
  { random, time, life, faults, struck }: {
    random: SeededRandom;
    time: VirtualTime;
    life: SimulatedProcess;
    faults: () => EndpointFaults;
    /** Called for each fault. */
    struck: () => void;
  },
): Chain {
  const strikes = (p: number) => {
    const hit = random.chance(p);
    if (hit) struck();
    return hit;
  };
  const call = <T>(answer: () => T, options?: { signal?: AbortSignal }): Promise<T> =>
    life.guard((async () => {
      await time.delay(random.int(10, 400));
      if (options?.signal?.aborted) throw new Problem("cancelled");
      const { fail, loseResponse: loseAnswer } = faults();
      if (strikes(fail)) throw new Problem("chain_unavailable", "refused");
      const answered = answer();
      await time.delay(random.int(10, 400));
      if (strikes(loseAnswer)) throw new Problem("chain_unavailable", "the answer was lost");
      return answered;
    })());

  /** Returns the block of this call's answer. */
  const view = () => strikes(faults().stale) ? world.block - random.int(1, MAX_STALE_BLOCKS) : world.block;
  const at = (account: Account, block: number): AccountVersion | undefined =>
    account.versions.findLast((version) => version.block <= block);
  const accountOf = (address: { toRawString(): string }) => world.accounts.get(address.toRawString());

  return {
    masterchainSeqno: (options) => call(() => world.block, options),

    masterchainSeqnoAt: (time, options) =>
      call(() => Math.max(0, world.times.findLastIndex((closed) => closed <= time)), options),

    account: (address, options) =>
      call((): AccountInfo => {
        const account = accountOf(address);
        const block = view();
        const version = account && at(account, block);
        const syncUtime = world.times[Math.max(0, block)];
        if (!account || !version) return { state: "uninitialized", balance: 0n, syncUtime };
        const wallet = account === world.wallet;
        return {
          state: "active",
          balance: version.balance,
          code: wallet ? world.walletCode : poolCode,
          data: wallet ? world.walletData(version.seqno) : Cell.EMPTY,
          last: account.transactions[version.length - 1]?.id,
          syncUtime,
        };
      }, options),

    transactions: (address, { limit, from, signal }) =>
      call((): ChainTransaction[] => {
        const account = accountOf(address)!;
        const length = at(account, view())?.length ?? 0;
        const known = account.transactions.slice(0, length);
        const end = from ? indexOf(known, from) : known.length - 1;
        if (from && end < 0) {
          throw new Problem("chain_unavailable", "the endpoint does not know this transaction");
        }
        const count = strikes(faults().truncate) ? random.int(1, limit) : limit;
        return known.slice(Math.max(0, end + 1 - count), end + 1).reverse();
      }, { signal }),

    runGetMethod: (address, method, args = [], options) =>
      call(() => {
        const account = accountOf(address)!;
        const block = view();
        const { roots, deposits, withdrawals } = at(account, block)!;
        const argument = args[0]?.type === "int" ? args[0].value : 0n;
        const int = (value: bigint | number) =>
          new TupleReader([{ type: "int", value: BigInt(value) } as const]);
        switch (method) {
          case "get_root_history":
            return new TupleReader([{
              type: "tuple",
              items: Array.from({ length: ROOT_HISTORY_SIZE }, (_, i) => ({
                type: "int",
                value: roots[i] ?? 0n,
              })),
            }]);
          case "getDenomination":
            return int(world.pools.get(address.toRawString())!.denomination);
          case "getIsSpent": {
            const spent = world.spentAt.get(spentKey(address, argument));
            return int(spent !== undefined && spent <= block ? -1 : 0);
          }
          case "seqno":
            return int(at(account, block)!.seqno);
          case "getIsDeposited": {
            const leaf = world.pools.get(address.toRawString())!.tree.indexOf(argument);
            return int(leaf >= 0 && leaf < deposits ? -1 : 0);
          }
          case "get_withdraw_value":
            return int(WITHDRAW_VALUE + argument);
          case "get_pool_info":
            return new TupleReader([
              { type: "int", value: 0n },
              { type: "null" },
              { type: "null" },
              { type: "null" },
              { type: "int", value: 0n },
              { type: "int", value: BigInt(deposits) },
              { type: "int", value: BigInt(withdrawals) },
              { type: "int", value: 131_072n },
              { type: "int", value: 0n },
              { type: "int", value: BigInt(world.now) },
            ]);
          default:
            throw new Problem("contract_refused", `no method ${method}`, { members: { exitCode: 11 } });
        }
      }, options),

    configParam: (id, options) => call(() => config.get(id)!, options),

    send: (message, options) =>
      call(() => {
        if (!world.submit(message)) throw new Problem("contract_refused", "the wallet refuses it");
      }, options),
  };
}

function indexOf(transactions: readonly ChainTransaction[], { lt, hash }: TransactionId): number {
  return transactions.findLastIndex(({ id }) => id.lt === lt && id.hash === hash);
}
