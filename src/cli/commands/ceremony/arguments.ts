/** Parsers of the arguments of `tonado ceremony`. */
import { InvalidArgumentError } from "commander";
import { beaconExponents, CONTRIBUTOR_NAME } from "../../../ops/ceremony/transcript/transcript.ts";

const BEACON_HEX_PATTERN = /^(0x)?([0-9a-fA-F]{2}){8,255}$/;

export function parseContributorName(text: string): string {
  if (CONTRIBUTOR_NAME.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 63 letters, digits, spaces and . , : @ / ( ) _ -");
}

export function parseBeaconValue(text: string): Uint8Array {
  if (!BEACON_HEX_PATTERN.test(text)) throw new InvalidArgumentError("It must be 8 to 255 bytes in hex.");
  const digits = text.replace(/^0x/, "");
  return Uint8Array.from(
    { length: digits.length / 2 },
    (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

export function parseBeaconExponent(text: string): number {
  const { min, max } = beaconExponents;
  if (/^[0-9]{2}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
}

export function parseBeaconRound(text: string): number {
  if (/^(0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer from 0 to 999999999999999.");
}
