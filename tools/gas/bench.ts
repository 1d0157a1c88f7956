/** A pool of either kind in the emulator, put back to a fill before each message that is measured. */
import { JettonSandbox } from "../../tests/support/jetton_sandbox.ts";
import { PoolSandbox } from "../../tests/support/pool_sandbox.ts";
import { poolData, type PoolState } from "../../tests/support/set_model.ts";
import { type Fill, rootLog, touched } from "./fills.ts";

export type Kind = "native" | "jetton";

/** What messages are sent to. */
export interface Bench {
  readonly kind: Kind;
  readonly fill: Fill;
  readonly pool: PoolSandbox;
  /** Undefined for a native pool. */
  readonly jettons: JettonSandbox | undefined;
  /** Roots that the pool knows, oldest first. */
  readonly roots: readonly bigint[];
  /** The fill again, but for what is changed. */
  reset(change?: Partial<PoolState>): Promise<void>;
}

const BALANCE = 1_000_000_000_000n;

export async function openBench(
  kind: Kind,
  fill: Fill,
  options: {
    code?: Parameters<typeof PoolSandbox.open>[0] extends { code?: infer C } | undefined ? C : never;
  } = {},
): Promise<Bench> {
  const jettons = kind === "jetton" ? await JettonSandbox.open(options) : undefined;
  const pool = jettons?.pool ?? await PoolSandbox.open(options);
  const { history, roots } = rootLog(fill.deposits);
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
    ...touched(fill),
    jetton: jettons && { master: jettons.minter.address, wallet: jettons.poolWallet },
  };
  return {
    kind,
    fill,
    pool,
    jettons,
    roots,
    reset: async (change = {}) => {
      await pool.replace({ data: poolData({ ...state, ...change }), balance: BALANCE });
      pool.roots.splice(0, Infinity, ...roots);
    },
  };
}
