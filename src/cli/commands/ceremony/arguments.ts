import { hexToBytes } from "@noble/hashes/utils.js";
import { InvalidArgumentError } from "commander";
import { beaconExponents, CONTRIBUTOR_NAME } from "../../../ops/ceremony/transcript/transcript.ts";
import { integerArgument } from "../../options/integer_argument.ts";

const BEACON_HEX_PATTERN = /^(0x)?([0-9a-fA-F]{2}){8,255}$/;

export function parseContributorName(text: string): string {
  if (CONTRIBUTOR_NAME.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 63 letters, digits, spaces and . , : @ / ( ) _ -");
}

export function parseBeaconValue(text: string): Uint8Array {
  if (!BEACON_HEX_PATTERN.test(text)) throw new InvalidArgumentError("It must be 8 to 255 bytes in hex.");
  return hexToBytes(text.replace(/^0x/, ""));
}

export const parseBeaconExponent = integerArgument(beaconExponents.min, beaconExponents.max);

export const parseBeaconRound = integerArgument(0, 999_999_999_999_999);
