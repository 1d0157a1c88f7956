/** A pool of either kind in the emulator that is reset to a fill before each measured message. */
import { JettonSandbox } from "../chain/jetton_sandbox.ts";
import { PoolSandbox } from "../chain/pool_sandbox.ts";
import { encodePoolData, type PoolState } from "../chain/pool_storage.ts";
import { buildRootHistory, buildTouchedSets, type Fill } from "./fills.ts";

export type PoolKind = "native" | "jetton";

export interface MeasuredPool {
  readonly kind: PoolKind;
  readonly fill: Fill;
  readonly pool: PoolSandbox;
  /** Undefined for a native pool. */
  readonly jettons: JettonSandbox | undefined;
  /** Roots that the pool knows, oldest first. */
  readonly roots: readonly bigint[];
  /** Restores the fill, with changes. */
  reset(change?: Partial<PoolState>): Promise<void>;
}

const BALANCE = 1_000_000_000_000n;

export async function openMeasuredPool(
  kind: PoolKind,
  fill: Fill,
  options: {
    code?: Parameters<typeof PoolSandbox.open>[0] extends { code?: infer C } | undefined ? C : never;
  } = {},
): Promise<MeasuredPool> {
  const jettons = kind === "jetton" ? await JettonSandbox.open(options) : undefined;
  const pool = jettons?.pool ?? await PoolSandbox.open(options);
  const { history, roots } = buildRootHistory(fill.deposits);
  const state: PoolState = {
    denomination: pool.denomination,
    deposits: fill.deposits,
    withdrawals: fill.withdrawals,
    debt: 0n,
    touched: pool.chain.now!,
    root: roots.at(-1) ?? pool.root,
    history,
    paused: false,
    owner: pool.owner.address,
    ...buildTouchedSets(fill),
    jetton: jettons && { master: jettons.minter.address, wallet: jettons.poolWallet },
  };
  return {
    kind,
    fill,
    pool,
    jettons,
    roots,
    reset: async (change = {}) => {
      await pool.setState({ data: encodePoolData({ ...state, ...change }), balance: BALANCE });
      pool.roots.splice(0, Infinity, ...roots);
    },
  };
}
