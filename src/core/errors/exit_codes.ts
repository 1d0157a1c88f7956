/** Why a pool's contract refuses a message. */

/** Exit codes of the pool contracts. `contracts/shared/generated/errors.tolk` is generated from this table. */
export const exitCodes = {
  ERR_WRONG_DENOMINATION: 101,
  ERR_DUPLICATE_COMMITMENT: 102,
  ERR_STALE_DEPOSIT: 103,
  ERR_POOL_FULL: 104,
  ERR_PAUSED: 105,
  ERR_NOT_JETTON_WALLET: 106,
  ERR_JETTON_WALLET_UNKNOWN: 107,
  ERR_NOT_MASTER: 108,
  ERR_STALE_SETTLE: 109,
  ERR_QUEUE_FULL: 110,
  ERR_TOO_SOON: 111,
  ERR_PROOF_INVALID: 201,
  ERR_ALREADY_SPENT: 202,
  ERR_UNKNOWN_ROOT: 203,
  ERR_FEE_TOO_HIGH: 204,
  ERR_INSUFFICIENT_VALUE: 205,
  ERR_NOT_IN_FIELD: 206,
  ERR_BAD_ADDRESS: 207,
  ERR_MALFORMED: 208,
  ERR_PAYOUTS_BLOCKED: 209,
  ERR_UNKNOWN_CLAIM: 210,
  ERR_STALE_SLOT: 211,
  ERR_NOT_OWNER: 301,
  ERR_NOT_SURPLUS: 302,
} as const;

/** The name of an exit code. */
export type ExitCodeName = keyof typeof exitCodes;

/**
 * Returns the name of a pool's exit code, or undefined for any other code.
 * @param code exit code of the compute phase
 * @example
 * ```ts
 * exitCodeName(103); // "ERR_STALE_DEPOSIT"
 * ```
 */
export function exitCodeName(code: number): ExitCodeName | undefined {
  return (Object.keys(exitCodes) as ExitCodeName[]).find((name) => exitCodes[name] === code);
}
