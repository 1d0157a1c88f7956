/** Amounts as decimal text and in the smallest unit. */
import { Problem } from "../errors/problem.ts";

export const NATIVE_DECIMALS = 9;
/** The ticker of the native coin, Gram, which was Toncoin (TON) until June 2026. Data formats say `native`. */
export const NATIVE_SYMBOL = "GRAM";

const UNITS_PATTERN = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const MAX_AMOUNT_LENGTH = 80;

/**
 * Parses a decimal number of whole units into the smallest unit.
 * @param text such as `0.5`
 * @param decimals decimal places of a whole unit; default: 9, those of the native coin
 * @throws {Problem} `invalid_amount` for a sign, an exponent, a leading zero, or too many decimal places
 * @example
 * ```ts
 * parseUnits("0.5"); // 500000000n
 * ```
 */
export function parseUnits(text: string, decimals: number = NATIVE_DECIMALS): bigint {
  const match = text.length <= MAX_AMOUNT_LENGTH ? UNITS_PATTERN.exec(text) : null;
  if (!match) throw new Problem("invalid_amount", "amount is not a plain decimal number");
  const [, whole, fraction = ""] = match;
  if (fraction.length > decimals) {
    throw new Problem("invalid_amount", `amount has more than ${decimals} decimal places`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/**
 * Returns an amount as the shortest decimal number of whole units.
 * @param nano amount in the smallest unit; may be negative
 * @param decimals decimal places of a whole unit; default: 9, those of the native coin
 * @example
 * ```ts
 * formatUnits(500_000_000n); // "0.5"
 * ```
 */
export function formatUnits(nano: bigint, decimals: number = NATIVE_DECIMALS): string {
  const sign = nano < 0n ? "-" : "";
  const digits = (nano < 0n ? -nano : nano).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return sign + whole + (fraction === "" ? "" : `.${fraction}`);
}

/** Returns nano of the native coin with its ticker. */
export function formatNative(nano: bigint): string {
  return `${formatUnits(nano)} ${NATIVE_SYMBOL}`;
}

export function formatAmount(
  amount: bigint,
  { asset, decimals }: { readonly asset: string; readonly decimals?: number },
): string {
  return asset === "native" ? formatNative(amount) : `${formatUnits(amount, decimals)} ${asset}`;
}

export function pluralize(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}
