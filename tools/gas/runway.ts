/**
 * Computes how long a pool without further use can pay for its storage, which the chain charges per cell, bit and
 * second. The size is the upper bound of contracts/v1/SPEC.md, which holds for any keys. The balance is what deposits and
 * withdrawals leave in the pool by SPEC.md.
 */
import { contractConstants } from "../../testkit/chain/contract_constants.ts";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { maxPoolSize } from "../../src/ton/pool/pool_size.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import type { ChainPrices } from "../../testkit/chain/chain_prices.ts";
import type { PoolKind } from "../../testkit/gas/measured_pool.ts";

const YEAR = 31_557_600n;
const NATIVE = 1_000_000_000n;
/** The denomination of the table's native pool: about the smallest that is deployed. */
const DENOMINATION = NATIVE;
const NOTE_COUNTS = [1, 100, 200, 1_000, 10_000, 50_000, 100_000, POOL_CAPACITY];
/** Longer runways are printed as `long`. */
const MANY_YEARS = 1_000n;

/** Constants of the contracts' fees; amounts in nano. */
const feeConstant = await contractConstants(1);

const max = (a: bigint, b: bigint) => a > b ? a : b;

/** A pool of `deposits` notes, of which `withdrawals` were withdrawn. */
export interface PoolFill {
  readonly kind: PoolKind;
  readonly deposits: number;
  readonly withdrawals: number;
}

/** Returns the most cells and bits that SPEC.md allows a pool, code included. */
export function sizeBound({ kind, ...counts }: PoolFill): { cells: bigint; bits: bigint } {
  return maxPoolSize({ assetKind: kind, ...counts, claims: 0 });
}

/**
 * Returns the balance in nano of a pool that was deployed and used at these prices, without storage fees.
 *
 * @param denomination of a native pool, in nano
 */
export function leftBalance(
  { kind, deposits, withdrawals }: PoolFill,
  prices: ChainPrices,
  denomination = DENOMINATION,
): bigint {
  const deployed = feeConstant("STORAGE_RESERVE");
  if (kind === "jetton") {
    const seconds = feeConstant("STORAGE_SECONDS");
    // The endowment that `tonado deploy` sends: SPEC.md, Coins.
    const endowment = max(deployed, prices.storage({ cells: 2_860n, bits: 70_000n, seconds }));
    const size = { cells: feeConstant("PREPAID_CELLS"), bits: feeConstant("PREPAID_BITS") };
    const prepaid = max(feeConstant("REFUND_RESERVE"), prices.storage({ ...size, seconds }));
    return endowment + BigInt(deposits + withdrawals) * prepaid;
  }
  const cell = prices.storage({ cells: 1n, bits: 1_023n, seconds: feeConstant("ENDOWMENT_SECONDS") });
  const accrual = max(feeConstant("NET_ACCRUAL"), cell);
  // A deposit burns at most this much of its note, and the withdrawals pay it back.
  const burned = prices.gas(feeConstant("GAS_HIGHEST_PATH"));
  return deployed + BigInt(withdrawals) * accrual + BigInt(deposits - withdrawals) * (denomination - burned);
}

/** Returns the seconds for which a balance pays the storage of an account. */
export function paidSeconds(
  balance: bigint,
  size: { readonly cells: bigint; readonly bits: bigint },
  prices: ChainPrices,
): bigint {
  const period = 1_000_000_000n;
  return balance * period / prices.storage({ ...size, seconds: period });
}

/** Returns years with one decimal, rounded down. @param times how many times today's prices storage costs */
function years(fill: PoolFill, prices: ChainPrices, times: bigint): string {
  const tenths = paidSeconds(leftBalance(fill, prices), sizeBound(fill), prices) * 10n / (YEAR * times);
  if (tenths > 10n * MANY_YEARS) return `> ${MANY_YEARS.toLocaleString("en")}`;
  return formatTenths(tenths);
}

function formatTenths(tenths: bigint): string {
  return `${(tenths / 10n).toLocaleString("en")}.${tenths % 10n}`;
}

/** Returns the table's lines: years by the number of notes, for notes that wait and for notes that are withdrawn. */
export function runwayTable(prices: ChainPrices): string[] {
  const columns = (["jetton", "native"] as const).flatMap((kind) =>
    (["waiting", "withdrawn"] as const).flatMap((state) =>
      ([1n, 6n] as const).map((times) => ({ kind, state, times }))
    )
  );
  const head = columns.map(({ kind, state, times }) => `${kind}, ${state}${times === 1n ? "" : ", sixfold"}`);
  const rows = NOTE_COUNTS.map((deposits) => {
    const cells = columns.map(({ kind, state, times }) =>
      years({ kind, deposits, withdrawals: state === "waiting" ? 0 : deposits }, prices, times)
    );
    return [deposits.toLocaleString("en"), ...cells];
  });
  return markdownTable(["notes", ...head], rows, ["---", ...head.map(() => "--:")]);
}
