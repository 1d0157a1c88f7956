/** The gas of the get methods of version 2 pools at mainnet's prices. */
import type { Cell, TupleItem } from "@ton/core";
import { manyClaims } from "../chain/v2/claims.ts";
import { fillPath } from "../chain/v2/deep_slots.ts";
import { fullPool } from "../chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../chain/v2/jetton_sandbox.ts";
import { V2Sandbox } from "../chain/v2/sandbox.ts";
import { BLOCKING_CLAIMS } from "./claim_entry_points.ts";
import type { GasFigures } from "./measure.ts";
import type { PoolKind } from "./measured_pool.ts";

export const V2_FULL_FILL = "2^20 notes";
export const V2_DEEP_FILL = "94 full nodes";
/** The states in which get methods are measured. */
export const v2GetterFills = ["empty", V2_FULL_FILL, V2_DEEP_FILL] as const;
/** Gas by state and get method. */
export type V2GetterFigures = Record<string, GasFigures>;

/** The number of calls that are measured for one figure, which is the highest of them. */
const SAMPLES = 12;
const DEEP_KEY = (0xabcdef0123456789abcdefn << 12n) | 7n;
const int = (value: bigint): TupleItem => ({ type: "int", value });
const carriedItem = (cell: Cell | null): TupleItem =>
  cell === null ? { type: "null" } : { type: "cell", cell };

/** Puts the pool into a state. Returns nullifier hashes for `getIsSpentBy`. */
async function fillPool(sandbox: V2Sandbox, fill: typeof v2GetterFills[number]): Promise<readonly bigint[]> {
  if (fill === V2_FULL_FILL) {
    const { state, drawKey } = fullPool();
    await sandbox.setState(state);
    return Array.from({ length: SAMPLES }, drawKey);
  }
  await sandbox.setState(
    fill === "empty" ? {} : {
      deposits: 1000,
      settled: 1000,
      commitment: (leafIndex) => BigInt(leafIndex) + 1n,
      roots: [5n, 6n, 7n],
      spent: fillPath(DEEP_KEY),
    },
  );
  return [DEEP_KEY];
}

async function measureFill(sandbox: V2Sandbox, fill: typeof v2GetterFills[number]): Promise<GasFigures> {
  const keys = await fillPool(sandbox, fill);
  const { chain, address } = sandbox.pool;
  const call = async (name: string, ...args: TupleItem[]) =>
    Number((await chain.runGetMethod(address, name, args)).gasUsed);
  const highest = async (name: string, calls: readonly TupleItem[][]) =>
    Math.max(...await Promise.all(calls.map((args) => call(name, ...args))));
  const carried = keys.map((key) => [int(key), carriedItem(sandbox.spent.slotPath(key))]);
  const figures: GasFigures = {
    getCurrentRoot: await call("getCurrentRoot"),
    getNextIndex: await call("getNextIndex"),
    getSettled: await call("getSettled"),
    getDenomination: await call("getDenomination"),
    // The method answers only for empty slots, and a pool with 2^20 notes has none.
    ...fill === V2_FULL_FILL ? {} : { getIsSpent: await call("getIsSpent", int(DEEP_KEY + 1n)) },
    getIsSpentBy: await highest("getIsSpentBy", carried),
    get_root_history: await call("get_root_history"),
    get_settle_info: await call("get_settle_info"),
    get_deposit_value: await call("get_deposit_value"),
    get_withdraw_value: await call("get_withdraw_value", int(0n)),
    get_withdraw_many_value: await call("get_withdraw_many_value", int(12n), int(0n)),
    get_pool_info: await call("get_pool_info"),
  };
  if (!(sandbox instanceof V2JettonSandbox)) return figures;
  await sandbox.setState({}, undefined, manyClaims(BLOCKING_CLAIMS));
  return { ...figures, get_claims: await call("get_claims", int(0n), int(64n)) };
}

/** Measures every get method of one kind of pool in every state. */
export async function measureV2Getters(kind: PoolKind): Promise<V2GetterFigures> {
  const figures: V2GetterFigures = {};
  for (const fill of v2GetterFills) {
    const sandbox = kind === "native" ? await V2Sandbox.open() : await V2JettonSandbox.openJetton();
    figures[fill] = await measureFill(sandbox, fill);
  }
  return figures;
}
