/** Connects wallets that inject a TON Connect bridge into the page: extensions, and browsers inside wallets. */
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import { abortable } from "../../core/time/deadline.ts";
import type { Payer, PayerSource } from "../ports.ts";
import { untilDeadline } from "../../client/tonconnect/pay_deadline.ts";
import {
  type ConnectRequest,
  connectRequest,
  isAnswerTo,
  malformed,
  parseConnectEvent,
  printable,
  PROTOCOL_VERSION,
  type RpcRequest,
  transactionRequest,
} from "../../client/tonconnect/wallet_messages.ts";

/** The JS bridge of TON Connect 2. Its answers are unchecked. */
interface InjectedBridge {
  readonly walletInfo?: { readonly name?: unknown };
  connect(version: number, request: ConnectRequest): Promise<unknown>;
  restoreConnection(): Promise<unknown>;
  send(request: RpcRequest): Promise<unknown>;
}

export interface InjectedOptions {
  readonly manifestUrl: string;
  readonly clock: Clock;
}

/** Returns the wallets of a page. @param scope `window` */
export function findInjected(scope: object, options: InjectedOptions): PayerSource[] {
  return Object.keys(scope).flatMap((key) => {
    const found = bridgeAt(scope, key);
    return found ? [injectedSource(`injected:${key}`, found.name, found.bridge, options)] : [];
  });
}

/** Reads properties of another program, each of which can throw. */
function bridgeAt(
  scope: object,
  key: string,
): { readonly bridge: InjectedBridge; readonly name: string } | undefined {
  try {
    const bridge = (scope as Record<string, { tonconnect?: InjectedBridge } | undefined>)[key]?.tonconnect;
    if (typeof bridge?.connect !== "function" || typeof bridge.send !== "function") return undefined;
    const name = bridge.walletInfo?.name;
    return { bridge, name: printable(typeof name === "string" ? name : key) };
  } catch {
    return undefined;
  }
}

function injectedSource(
  id: string,
  name: string,
  bridge: InjectedBridge,
  { manifestUrl, clock }: InjectedOptions,
): PayerSource {
  let lastRequest = 0;
  // No session is stored here. The time in milliseconds continues the ids of an earlier page.
  const nextId = () => String(lastRequest = Math.max(lastRequest + 1, Math.floor(clock.now())));
  return {
    id,
    name,
    kind: "injected",
    async connect({ network, signal }) {
      const event = await abortable(
        answered(() => bridge.connect(PROTOCOL_VERSION, connectRequest(manifestUrl))),
        signal,
      );
      const wallet = parseConnectEvent(event, network);
      return {
        name: wallet.name || name,
        address: wallet.address,
        async pay(message, payOptions) {
          const request = transactionRequest(nextId(), message, {
            from: wallet.address,
            network,
            validUntil: payOptions.validUntil,
          });
          const answer = await untilDeadline(answered(() => bridge.send(request)), payOptions, clock);
          if (!isAnswerTo(request.id, answer)) throw malformed();
        },
        async disconnect() {
          await answered(() => bridge.send({ id: nextId(), method: "disconnect", params: [] })).catch(
            () => {},
          );
        },
      } satisfies Payer;
    },
  };
}

/** Replaces errors of the bridge, whose text comes from another program. */
async function answered(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch {
    throw new Problem("wallet_unavailable", "the wallet's bridge failed");
  }
}
