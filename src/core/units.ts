/** Exact conversion between whole units as people write them and integer nano amounts. No floating point. */
import { Problem } from "./errors.ts";

/** Decimals of the native coin: one native unit is 10^9 nano. */
export const NATIVE_DECIMALS = 9;

const UNITS = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const LONGEST_AMOUNT = 80;

/**
 * Parses a decimal number of whole units into nano.
 *
 * @throws {Problem} `invalid_amount` for a sign, an exponent, a leading zero, or more than `decimals` places.
 */
export function parseUnits(text: string, decimals: number = NATIVE_DECIMALS): bigint {
  const match = text.length <= LONGEST_AMOUNT ? UNITS.exec(text) : null;
  if (!match) throw new Problem("invalid_amount", "amount is not a plain decimal number");
  const [, whole, fraction = ""] = match;
  if (fraction.length > decimals) {
    throw new Problem("invalid_amount", `amount has more than ${decimals} decimal places`);
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Writes nano as the shortest decimal number of whole units: no exponent, no trailing zeros. */
export function formatUnits(nano: bigint, decimals: number = NATIVE_DECIMALS): string {
  const sign = nano < 0n ? "-" : "";
  const digits = (nano < 0n ? -nano : nano).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return sign + whole + (fraction === "" ? "" : `.${fraction}`);
}

/** An amount of an asset for people: `0.5 TON`, `20 usdt`. */
export function formatAmount(
  amount: bigint,
  { asset, decimals }: { readonly asset: string; readonly decimals?: number },
): string {
  return asset === "native" ? `${formatUnits(amount)} TON` : `${formatUnits(amount, decimals)} ${asset}`;
}

/** So many of something, in words: `1 deposit`, `2 deposits`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}

const NANO = /^(0|[1-9][0-9]{0,38})$/;

/**
 * Parses a nano amount as it stands on the wire: a decimal integer string.
 *
 * @throws {Problem} `invalid_request`, naming `what`.
 */
export function parseNano(text: string, what = "amount"): bigint {
  if (!NANO.test(text)) throw new Problem("invalid_request", `${what} is not a decimal integer string`);
  return BigInt(text);
}
