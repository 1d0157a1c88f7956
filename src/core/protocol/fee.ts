// The minimum fee that a relayer's policy accepts.

const BASIS_POINTS = 10_000n;

/** The parameters of a fee policy; amounts in the smallest unit of the pool's asset. */
export interface FeePolicy {
  readonly denomination: bigint;
  readonly feeBps: number;
  readonly feeMin: bigint;
}

/**
 * Returns the lowest fee that a policy accepts: max(feeMin, denomination * feeBps / 10000), rounded down.
 * @param policy amounts in the smallest unit of the pool's asset; `feeBps` in hundredths of a percent
 * @example
 * ```ts
 * policyFloor({ denomination: parseUnits("10"), feeBps: 30, feeMin: parseUnits("0.1") }); // 100000000n
 * ```
 */
export function policyFloor({ denomination, feeBps, feeMin }: FeePolicy): bigint {
  const share = denomination * BigInt(feeBps) / BASIS_POINTS;
  return share > feeMin ? share : feeMin;
}
