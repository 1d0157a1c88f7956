/**
 * An endpoint of a simulated chain. It is slow, sometimes stale, sometimes fails, and sometimes loses an
 * answer. As the port promises, it returns transactions only with their own identifiers.
 */
import { type Address, beginCell, Cell, Dictionary, TupleReader } from "@ton/core";
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
/** The maximum number of blocks that a node is behind. */
const MAX_STALE_BLOCKS = 4;

/** A block's view of an account that exists. */
interface AccountView {
  readonly account: Account;
  readonly block: number;
  readonly version: AccountVersion;
}

/** The parts of a relayer process that an endpoint needs. */
interface EndpointOptions {
  random: SeededRandom;
  time: VirtualTime;
  life: SimulatedProcess;
  faults: () => EndpointFaults;
  /** Called for each fault. */
  onFault: () => void;
}

/** Opens the endpoint for one relayer process. */
export function openEndpoint(world: World, options: EndpointOptions): Chain {
  const { random, faults } = options;
  const faultOccurs = faultDraws(options);
  const call = slowCalls(options, faultOccurs);
  /** Returns the block from which this call is answered. */
  const view = () =>
    faultOccurs(faults().stale) ? world.block - random.int(1, MAX_STALE_BLOCKS) : world.block;
  const accountOf = (address: { toRawString(): string }) => world.accounts.get(address.toRawString());

  return {
    masterchainSeqno: (options) => call(() => world.block, options),

    masterchainSeqnoAt: (time, options) =>
      call(() => Math.max(0, world.times.findLastIndex((closed) => closed <= time)), options),

    account: (address, options) =>
      call((): AccountInfo => {
        const account = accountOf(address);
        const block = view();
        const version = account && versionAt(account, block);
        const syncUtime = world.times[Math.max(0, block)];
        if (!account || !version) return { state: "uninitialized", balance: 0n, syncUtime };
        return activeAccount(world, { account, block, version }, syncUtime);
      }, options),

    transactions: (address, { limit, from, signal }) =>
      call((): ChainTransaction[] => {
        const account = accountOf(address)!;
        const length = versionAt(account, view())?.length ?? 0;
        const known = account.transactions.slice(0, length);
        const end = from ? indexOf(known, from) : known.length - 1;
        if (from && end < 0) {
          throw new Problem("chain_unavailable", "the endpoint does not know this transaction");
        }
        const count = faultOccurs(faults().truncate) ? random.int(1, limit) : limit;
        return known.slice(Math.max(0, end + 1 - count), end + 1).reverse();
      }, { signal }),

    runGetMethod: (address, method, args = [], options) =>
      call(() => {
        const account = accountOf(address)!;
        const block = view();
        const argument = args[0]?.type === "int" ? args[0].value : 0n;
        const version = versionAt(account, block)!;
        return runGetMethod(world, { account, block, version }, { address, method, argument });
      }, options),

    configParam: (id, options) => call(() => config.get(id)!, options),

    send: (message, options) =>
      call(() => {
        if (!world.submit(message)) throw new Problem("contract_refused", "the wallet refuses it");
      }, options),
  };
}

type FaultDraw = (probability: number) => boolean;

/** Returns a function that decides whether a fault occurs. */
const faultDraws = ({ random, onFault }: EndpointOptions): FaultDraw => (probability) => {
  const hit = random.chance(probability);
  if (hit) onFault();
  return hit;
};

/** Returns a function that delays a call: it may fail, or lose the response of a call that took effect. */
function slowCalls({ random, time, life, faults }: EndpointOptions, faultOccurs: FaultDraw) {
  return <T>(answer: () => T, options?: { signal?: AbortSignal }): Promise<T> =>
    life.guard((async () => {
      await time.delay(random.int(10, 400));
      if (options?.signal?.aborted) throw new Problem("cancelled");
      const { fail, loseResponse } = faults();
      if (faultOccurs(fail)) throw new Problem("chain_unavailable", "refused");
      const answered = answer();
      await time.delay(random.int(10, 400));
      if (faultOccurs(loseResponse)) throw new Problem("chain_unavailable", "the answer was lost");
      return answered;
    })());
}

function versionAt(account: Account, block: number): AccountVersion | undefined {
  return account.versions.findLast((version) => version.block <= block);
}

function activeAccount(world: World, { account, version }: AccountView, syncUtime: number): AccountInfo {
  const isWallet = account === world.wallet;
  return {
    state: "active",
    balance: version.balance,
    code: isWallet ? world.walletCode : poolCode,
    data: isWallet ? world.walletData(version.seqno) : Cell.EMPTY,
    last: account.transactions[version.length - 1]?.id,
    syncUtime,
  };
}

const int = (value: bigint | number) => new TupleReader([{ type: "int", value: BigInt(value) } as const]);

/** Answers a get-method of a pool or of the relayer's wallet. */
function runGetMethod(
  world: World,
  { block, version }: AccountView,
  { address, method, argument }: { address: Address; method: string; argument: bigint },
): TupleReader {
  const { roots, deposits, seqno } = version;
  switch (method) {
    case "get_root_history":
      return new TupleReader([{
        type: "tuple",
        items: Array.from({ length: ROOT_HISTORY_SIZE }, (_, i) => ({ type: "int", value: roots[i] ?? 0n })),
      }]);
    case "getDenomination":
      return int(world.pools.get(address.toRawString())!.denomination);
    case "getIsSpent": {
      const spent = world.spentAt.get(spentKey(address, argument));
      return int(spent !== undefined && spent <= block ? -1 : 0);
    }
    case "seqno":
      return int(seqno);
    case "getIsDeposited": {
      const leaf = world.pools.get(address.toRawString())!.tree.indexOf(argument);
      return int(leaf >= 0 && leaf < deposits ? -1 : 0);
    }
    case "get_withdraw_value":
      return int(WITHDRAW_VALUE + argument);
    case "get_pool_info":
      return poolInfo(world, version);
    default:
      throw new Problem("contract_refused", `no method ${method}`, { members: { exitCode: 11 } });
  }
}

function poolInfo(world: World, { deposits, withdrawals }: AccountVersion): TupleReader {
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
}

function indexOf(transactions: readonly ChainTransaction[], { lt, hash }: TransactionId): number {
  return transactions.findLastIndex(({ id }) => id.lt === lt && id.hash === hash);
}
