/** Builds and parses the messages of TON Connect. Every message from a wallet is checked here. */
import { Address } from "@ton/core";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import { type Network, networkGlobalId } from "../../core/protocol/network.ts";
import type { PayMessage } from "../deposit/payer.ts";

export const PROTOCOL_VERSION = 2;
const USER_REJECTS = 300; // TON Connect's error code if the user declines
/** Tonkeeper for Android answers with this id if it cannot read a request (tonkeeper/android: bridge/Bridge.kt). */
const NO_REQUEST = "0";
const MAX_NAME_LENGTH = 40;

const connectEventSchema = z.object({
  event: z.literal("connect"),
  payload: z.object({
    items: z.array(z.looseObject({ name: z.string() })),
    device: z.looseObject({ appName: z.string() }).optional().catch(undefined),
  }),
});
const connectErrorSchema = z.object({ event: z.literal("connect_error"), payload: z.unknown().optional() });
const addressItemSchema = z.object({
  name: z.literal("ton_addr"),
  address: z.string(),
  network: z.union([z.string(), z.number()]),
});
/** `id` and `error` are null in the answers of some JSON-RPC programs. */
const responseSchema = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
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
  /**
   * A decimal integer above those of all earlier requests of the session, as TON Connect's requests-responses.md
   * demands. Tonkeeper for Android parses it as a Long (tonkeeper/android: lib/extensions JSONObject.kt).
   */
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
    const code = errorCode(refused.data.payload);
    if (code === USER_REJECTS) throw new Problem("wallet_declined");
    throw new Problem("wallet_unavailable", `the wallet did not connect (code ${code})`);
  }
  const connected = connectEventSchema.safeParse(event);
  const item = connected.data?.payload.items.map((each) => addressItemSchema.safeParse(each))
    .find(({ success }) => success)?.data;
  if (!item) throw malformed();
  if (String(item.network) !== String(networkGlobalId(network))) {
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

/** @param validUntil Unix seconds. Tonkeeper for the web requires it (tonkeeper/tonkeeper-web: entries/tonConnect.ts). */
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
    valid_until: Math.floor(validUntil),
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

/**
 * Returns whether `message` answers request `id`. Throws `wallet_declined` only if the answer to this request says that
 * nothing was sent; otherwise `wallet_unavailable`: the payment may still arrive.
 */
export function isAnswerTo(id: string, message: unknown): boolean {
  const answer = responseSchema.safeParse(message);
  if (!answer.success) return false;
  const { error, result } = answer.data;
  const isError = error !== undefined && error !== null;
  if (!isError && (result === undefined || result === null)) return false;
  const answered = String(answer.data.id ?? NO_REQUEST);
  if (answered === NO_REQUEST) {
    throw new Problem("wallet_unavailable", "the wallet answered without naming the request");
  }
  if (answered !== id) return false;
  if (isError) {
    const code = errorCode(error);
    if (code === USER_REJECTS && typeof result !== "string") throw new Problem("wallet_declined");
    throw new Problem("wallet_unavailable", `the wallet reported an error (code ${code})`);
  }
  if (typeof result !== "string") throw malformed();
  return true;
}

/** Returns the code, which some wallets send as text. NaN: there is none. */
function errorCode(error: unknown): number {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "number" || (typeof code === "string" && code !== "") ? Number(code) : NaN;
}

export function malformed(): Problem {
  return new Problem("wallet_unavailable", "the wallet's answer is not of TON Connect");
}

/** Names are shown as text; control characters could reorder it. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, "").trim().slice(0, MAX_NAME_LENGTH);
}
