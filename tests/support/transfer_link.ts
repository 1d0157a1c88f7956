/** Reads `ton://transfer` links as a phone's wallet does. */
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";

/** Where a link sends what. */
export function readLink(url: string): { to: Address; amount: bigint; bin: Buffer } {
  const [, to, query] = /^ton:\/\/transfer\/([\w-]{48})\?(.*)$/.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const bin = parameters.get("bin")!.replaceAll("-", "+").replaceAll("_", "/");
  return {
    to: Address.parse(to),
    amount: BigInt(parameters.get("amount")!),
    bin: Buffer.from(bin, "base64"),
  };
}
