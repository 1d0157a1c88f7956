import { Address } from "@ton/core";

/** 36 bytes in base64url, or the raw form. */
const ADDRESS_PATTERN = /(?<![\w-])(?:[\w-]{48}|-?\d:[0-9a-fA-F]{64})(?![\w-])/;

/** Returns the address of a plain code, a `ton://transfer/` link or a wallet's web link; undefined if there is none. */
export function addressInCode(text: string): string | undefined {
  const [address] = ADDRESS_PATTERN.exec(text) ?? [];
  if (address === undefined) return undefined;
  try {
    Address.parse(address);
    return address;
  } catch { // not an address, or a wrong checksum
    return undefined;
  }
}
