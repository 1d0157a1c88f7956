/** The relayer's fee policy, the same arithmetic for the relayer that enforces it and the client that meets it. */

const BASIS_POINTS = 10_000n;

/** What a fee policy is made of; amounts in the smallest unit of the pool's asset. */
export interface FeePolicy {
  readonly denomination: bigint;
  readonly feeBps: number;
  readonly feeMin: bigint;
}

/** policy_floor = max(minimum fee, denomination * feeBps / 10000), rounded down. */
export function policyFloor({ denomination, feeBps, feeMin }: FeePolicy): bigint {
  const share = denomination * BigInt(feeBps) / BASIS_POINTS;
  return share > feeMin ? share : feeMin;
}
