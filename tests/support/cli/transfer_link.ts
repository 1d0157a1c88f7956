/**
 * Reads `ton://transfer` links. It shares no code with the parser in src/, so that a test compares two
 * implementations.
 */
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";

/** Decodes the recipient, amount and body of a link. */
export function decodeTransferLink(url: string): { to: Address; amount: bigint; bin: Buffer } {
  const [, to, query] = /^ton:\/\/transfer\/([\w-]{48})\?(.*)$/.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const bin = parameters.get("bin")!.replaceAll("-", "+").replaceAll("_", "/");
  return {
    to: Address.parse(to),
    amount: BigInt(parameters.get("amount")!),
    bin: Buffer.from(bin, "base64"),
  };
}
