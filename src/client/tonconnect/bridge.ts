/** Connects wallets on another device or in another app by a link or QR code, and exchanges messages over a bridge. */
import type { Address } from "@ton/core";
import { SessionCrypto } from "@tonconnect/protocol";
import * as z from "zod";
import type { Clock } from "../../core/time/clock.ts";
import { cancelled } from "../../core/time/deadline.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Payer } from "../deposit/payer.ts";
import { BridgeChannel, type ChannelMessage, type OpenEvents } from "./bridge_channel.ts";
import { connectLink, walletLink } from "./connect_link.ts";
import { untilDeadline } from "./pay_deadline.ts";
import {
  type ConnectedWallet,
  isAnswerTo,
  parseConnectEvent,
  type RpcRequest,
  transactionRequest,
} from "./wallet_messages.ts";

/** A wallet that connects over a bridge. */
export interface WalletEntry {
  readonly id: string;
  readonly name: string;
  readonly link: string;
  readonly bridge: string;
}

/** Stores one session, so that a page that the phone closed can resume it. It contains no secret of a note. */
export interface SessionStore {
  read(): Promise<unknown>;
  write(session: unknown): Promise<void>;
  remove(): Promise<void>;
}

export interface BridgeOptions {
  readonly manifestUrl: string;
  readonly clock: Clock;
  readonly openEvents: OpenEvents;
  readonly fetch: typeof fetch;
  readonly sessions: SessionStore;
}

/** A connected wallet. Its answers are not trusted: only the pool's log proves a payment. */
export interface WalletPayer extends Payer {
  readonly name: string;
  readonly address: Address;
  /** Opens the wallet, on the phone that has it. Absent for wallets that ask in a window of their own. */
  readonly link?: string;
  /** Ends the session. Never rejects. */
  disconnect(): Promise<void>;
}

export interface ConnectOptions {
  readonly network: Network;
  /** Gets the link to open the wallet with. */
  readonly onLink?: ((link: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** 32 bytes in hex. With another key, no wallet could connect. */
const key = z.string().regex(/^[0-9a-f]{64}$/i);
const sessionSchema = z.object({
  wallet: z.string(),
  network: z.string(),
  keys: z.object({ publicKey: key, secretKey: key }),
  /** The wallet's session and its connect event, once it has answered. */
  peer: key.optional(),
  event: z.unknown().optional(),
  lastEventId: z.string().optional(),
  /** The id of the last request. The next page of this session continues from it. */
  lastRequest: z.int().nonnegative().default(0),
});
type StoredSession = z.output<typeof sessionSchema>;

/**
 * Connects, or continues the stored session of an earlier visit.
 * @throws {Problem} `wallet_declined`, `wallet_unavailable`, `wrong_network`, `cancelled`
 */
export async function connectBridge(
  entry: WalletEntry,
  options: BridgeOptions,
  { network, onLink, signal }: ConnectOptions,
): Promise<WalletPayer> {
  const stored = await readSession(entry, network, options.sessions);
  const session = new BridgeSession(entry, network, options, stored);
  try {
    return await session.connect(onLink, signal);
  } catch (error) {
    session.close();
    if (signal?.aborted) await session.forget(); // the user left; a page that the phone closed aborts nothing
    throw error;
  }
}

async function readSession(
  { id }: WalletEntry,
  network: Network,
  sessions: SessionStore,
): Promise<StoredSession | undefined> {
  const found = sessionSchema.safeParse(await sessions.read().catch(() => undefined));
  return found.success && found.data.wallet === id && found.data.network === network ? found.data : undefined;
}

class BridgeSession {
  readonly #entry: WalletEntry;
  readonly #network: Network;
  readonly #options: BridgeOptions;
  readonly #crypto: SessionCrypto;
  readonly #channel: BridgeChannel;
  readonly #listeners = new Set<(message: unknown) => void>();
  #stored: StoredSession;
  #isOver = false;
  /** Writes run in order, so that no write stores the session again after it has ended. */
  #writes: Promise<void> = Promise.resolve();

  constructor(
    entry: WalletEntry,
    network: Network,
    options: BridgeOptions,
    stored: StoredSession | undefined,
  ) {
    [this.#entry, this.#network, this.#options] = [entry, network, options];
    this.#crypto = new SessionCrypto(stored?.keys);
    this.#stored = stored ??
      { wallet: entry.id, network, keys: this.#crypto.stringifyKeypair(), lastRequest: 0 };
    const { openEvents, fetch, clock } = options;
    this.#channel = new BridgeChannel({
      bridge: entry.bridge,
      session: this.#crypto,
      lastEventId: stored?.lastEventId,
      openEvents,
      fetch,
      clock,
      onMessage: (message) => this.#receive(message),
    });
  }

  async connect(
    onLink: ((link: string) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<WalletPayer> {
    if (this.#stored.event !== undefined) {
      return this.#payer(parseConnectEvent(this.#stored.event, this.#network));
    }
    await this.#save(); // first: the phone may close this page when the wallet opens
    onLink?.(connectLink(this.#entry, this.#crypto.sessionId, this.#options.manifestUrl));
    const event = await this.#next((message) => isConnectEvent(message) ? message : undefined, signal);
    try {
      return this.#payer(parseConnectEvent(event, this.#network));
    } catch (error) {
      await this.forget(); // the next attempt starts over
      throw error;
    }
  }

  close(): void {
    this.#channel.close();
  }

  /** Deletes the keys. */
  forget(): Promise<void> {
    this.#isOver = true;
    return this.#change(() => this.#options.sessions.remove());
  }

  #payer(wallet: ConnectedWallet): WalletPayer {
    const { clock } = this.#options;
    return {
      name: wallet.name || this.#entry.name,
      address: wallet.address,
      link: walletLink(this.#entry),
      pay: async (message, payOptions) => {
        const { validUntil, signal } = payOptions;
        const request = transactionRequest(this.#nextId(), message, {
          from: wallet.address,
          network: this.#network,
          validUntil,
        });
        await this.#save(); // first: a page that the phone closes must not use the id again
        if (signal?.aborted) throw cancelled(signal);
        if (this.#isOver) throw new Problem("wallet_unavailable", "the wallet has ended the session");
        const answer = this.#next((found) => isAnswerTo(request.id, found) || undefined, signal);
        answer.catch(() => {}); // sending may fail first
        await this.#send(request, signal);
        await untilDeadline(answer, payOptions, clock);
      },
      disconnect: async () => {
        const ended = this.forget(); // first, so that the next connection does not continue this session
        await this.#send({ id: this.#nextId(), method: "disconnect", params: [] }).catch(() => {});
        await ended;
        this.close();
      },
    };
  }

  #nextId(): string {
    const lastRequest = this.#stored.lastRequest + 1;
    this.#stored = { ...this.#stored, lastRequest };
    return String(lastRequest);
  }

  async #send(request: RpcRequest, signal?: AbortSignal): Promise<void> {
    await this.#channel.send(this.#stored.peer!, request, signal);
  }

  /** After the first answer, messages of any other session are ignored. */
  #receive({ from, message, eventId }: ChannelMessage): void {
    const { peer } = this.#stored;
    if (peer === undefined ? !isConnectEvent(message) : peer !== from) return;
    const event = (message as { readonly event?: unknown }).event;
    if (peer === undefined && event === "connect") {
      this.#stored = { ...this.#stored, peer: from, event: message };
    }
    this.#stored = { ...this.#stored, lastEventId: eventId };
    if (event === "disconnect") this.forget();
    else if (event !== "connect_error") this.#save();
    for (const listener of [...this.#listeners]) listener(message);
  }

  /** Resolves with the first message for which `select` returns a value. Rejects if `select` throws. */
  #next<T>(select: (message: unknown) => T | undefined, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#listeners.delete(listener);
        signal?.removeEventListener("abort", abort);
      };
      const abort = () => {
        end();
        reject(cancelled(signal));
      };
      const listener = (message: unknown) => {
        try {
          const found = select(message);
          if (found !== undefined) {
            end();
            resolve(found);
          } else if (this.#isOver) {
            throw new Problem("wallet_unavailable", "the wallet has ended the session");
          }
        } catch (error) {
          end();
          reject(error);
        }
      };
      this.#listeners.add(listener);
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
    });
  }

  #save(): Promise<void> {
    return this.#change(async () => {
      if (!this.#isOver) await this.#options.sessions.write(this.#stored);
    });
  }

  /** Never rejects: a session that cannot be stored ends with the page. */
  #change(work: () => Promise<void>): Promise<void> {
    return this.#writes = this.#writes.then(work).catch(() => {});
  }
}

function isConnectEvent(message: unknown): boolean {
  const { event } = (message ?? {}) as { event?: unknown };
  return event === "connect" || event === "connect_error";
}
