/** The encrypted channel to a wallet over an HTTP bridge: events from it, and messages to it. */
import { Base64, hexToByteArray, SessionCrypto } from "@tonconnect/protocol";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import { cancelled, withDeadline } from "../../core/time/deadline.ts";
import type { RpcRequest } from "./wallet_messages.ts";

/** Seconds that a bridge keeps a message for a phone that is off. */
const MESSAGE_TTL_SECONDS = 300;
const MAX_MESSAGE_LENGTH = 1_000_000;
/** Milliseconds. */
const SEND_TIMEOUT = 15_000;

const eventSchema = z.object({
  from: z.string().regex(/^[0-9a-f]{64}$/),
  message: z.string().max(MAX_MESSAGE_LENGTH),
});

/** A stream of a bridge's events; `EventSource` in a browser. */
export interface BridgeEvents {
  close(): void;
}
export type OpenEvents = (
  url: string,
  onEvent: (event: { readonly data: string; readonly lastEventId: string }) => void,
) => BridgeEvents;

export interface ChannelMessage {
  readonly from: string; // the wallet's session, hex
  readonly message: unknown;
  readonly eventId: string;
}

export interface ChannelOptions {
  readonly bridge: string;
  readonly session: SessionCrypto;
  readonly lastEventId?: string | undefined;
  readonly openEvents: OpenEvents;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly onMessage: (message: ChannelMessage) => void;
}

export class BridgeChannel {
  readonly #options: ChannelOptions;
  readonly #events: BridgeEvents;

  constructor(options: ChannelOptions) {
    this.#options = options;
    const { bridge, session, lastEventId, openEvents } = options;
    const url = bridgeUrl(bridge, "events", {
      client_id: session.sessionId,
      last_event_id: lastEventId,
      // Otherwise heartbeats have no data, and `EventSource` drops them (ton-connect/bridge: internal/v1/handler).
      heartbeat: "message",
    });
    this.#events = openEvents(url, (event) => this.#receive(event));
  }

  /** Throws `wallet_unavailable` if the bridge does not say in time that it accepted the message. */
  async send(to: string, request: RpcRequest, signal?: AbortSignal): Promise<void> {
    const { bridge, session, clock } = this.#options;
    const sealed = session.encrypt(JSON.stringify(request), hexToByteArray(to));
    const url = bridgeUrl(bridge, "message", {
      client_id: session.sessionId,
      to,
      ttl: String(MESSAGE_TTL_SECONDS),
      topic: request.method,
    });
    const post = async (signal: AbortSignal) => {
      const options = { method: "POST", body: Base64.encode(sealed), credentials: "omit", signal } as const;
      const response = await this.#options.fetch(url, options);
      await response.body?.cancel();
      return response.ok;
    };
    const noAnswer = () => new Problem("wallet_unavailable", "the wallet's bridge does not answer");
    const isAccepted = await withDeadline(SEND_TIMEOUT, { clock, signal, onTimeout: noAnswer }, post)
      .catch(() => false);
    if (signal?.aborted) throw cancelled(signal);
    if (!isAccepted) throw noAnswer();
  }

  close(): void {
    this.#events.close();
  }

  /** Ignores heartbeats, and messages that do not decrypt: a bridge can write to any session. */
  #receive({ data, lastEventId }: { readonly data: string; readonly lastEventId: string }): void {
    try {
      const { from, message } = eventSchema.parse(JSON.parse(data));
      const text = this.#options.session.decrypt(Base64.decode(message).toUint8Array(), hexToByteArray(from));
      this.#options.onMessage({ from, message: JSON.parse(text), eventId: lastEventId });
    } catch { /* not for this session */ }
  }
}

function bridgeUrl(bridge: string, path: string, query: Record<string, string | undefined>): string {
  const url = new URL(`${bridge.replace(/\/+$/, "")}/${path}`);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return url.href;
}
