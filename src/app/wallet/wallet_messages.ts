/** Builds and parses the messages of TON Connect. Every message from a wallet is checked here. */
import { Address } from "@ton/core";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { type Network, networkGlobalId } from "../../core/protocol/network.ts";
import type { PayMessage } from "../ports.ts";

export const PROTOCOL_VERSION = 2;
const USER_REJECTS = 300; // TON Connect's error code if the user declines
const MAX_NAME_LENGTH = 40;

const connectEventSchema = z.object({
  event: z.literal("connect"),
  payload: z.object({
    items: z.array(z.looseObject({ name: z.string() })),
    device: z.looseObject({ appName: z.string() }).optional(),
  }),
});
const connectErrorSchema = z.object({
  event: z.literal("connect_error"),
  payload: z.object({ code: z.number() }),
});
const addressItemSchema = z.object({ name: z.literal("ton_addr"), address: z.string(), network: z.string() });
const responseSchema = z.object({
  id: z.union([z.string(), z.number()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string().optional() }).optional(),
});

export interface ConnectedWallet {
  readonly name: string;
  readonly address: Address;
}

export interface ConnectRequest {
  readonly manifestUrl: string;
  readonly items: readonly { readonly name: "ton_addr" }[];
}

export interface RpcRequest {
  readonly id: string;
  readonly method: "sendTransaction" | "disconnect";
  readonly params: readonly string[];
}

export function connectRequest(manifestUrl: string): ConnectRequest {
  return { manifestUrl, items: [{ name: "ton_addr" }] };
}

/** Throws `wallet_declined`, `wrong_network`, `wallet_unavailable`. */
export function parseConnectEvent(event: unknown, network: Network): ConnectedWallet {
  const refused = connectErrorSchema.safeParse(event);
  if (refused.success) {
    if (refused.data.payload.code === USER_REJECTS) throw new Problem("wallet_declined");
    throw new Problem("wallet_unavailable", `the wallet did not connect (code ${refused.data.payload.code})`);
  }
  const connected = connectEventSchema.safeParse(event);
  const item = connected.data?.payload.items.map((each) => addressItemSchema.safeParse(each))
    .find(({ success }) => success)?.data;
  if (!item) throw malformed();
  if (item.network !== String(networkGlobalId(network))) {
    throw new Problem("wrong_network", `the wallet is on another network than ${network}`);
  }
  try {
    return {
      name: printable(connected.data?.payload.device?.appName ?? ""),
      address: Address.parseRaw(item.address),
    };
  } catch {
    throw malformed();
  }
}

/** @param validUntil Unix seconds; Infinity: no limit */
export function transactionRequest(
  id: string,
  { to, amount, body }: PayMessage,
  { from, network, validUntil }: {
    readonly from: Address;
    readonly network: Network;
    readonly validUntil: number;
  },
): RpcRequest {
  const transaction = {
    ...Number.isFinite(validUntil) && { valid_until: Math.floor(validUntil) },
    network: String(networkGlobalId(network)),
    from: from.toRawString(),
    messages: [{
      address: to.toString({ bounceable: true, testOnly: network !== "mainnet" }),
      amount: String(amount),
      payload: body.toBoc().toString("base64"),
    }],
  };
  return { id, method: "sendTransaction", params: [JSON.stringify(transaction)] };
}

/** Returns whether `message` answers request `id`. Throws `wallet_declined`, or else `wallet_unavailable`. */
export function isAnswerTo(id: string, message: unknown): boolean {
  const answer = responseSchema.safeParse(message);
  if (!answer.success || String(answer.data.id) !== id) return false;
  const { error, result } = answer.data;
  if (error?.code === USER_REJECTS) throw new Problem("wallet_declined");
  if (error) throw new Problem("wallet_unavailable", `the wallet reported an error (code ${error.code})`);
  if (typeof result !== "string") throw malformed();
  return true;
}

export function malformed(): Problem {
  return new Problem("wallet_unavailable", "the wallet's answer is not of TON Connect");
}

/** Names are shown as text; control characters could reorder it. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, "").trim().slice(0, MAX_NAME_LENGTH);
}
