/** Connects a wallet for one run of a program: the session stays in memory. */
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { connectBridge, type ConnectOptions, type WalletEntry, type WalletPayer } from "./bridge.ts";
import { openBridgeEvents } from "./bridge_events.ts";

const noSessions = {
  read: () => Promise.resolve(undefined),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

/** @throws {Problem} as {@linkcode connectBridge} does */
export function connectWallet(
  entry: WalletEntry,
  { manifestUrl, ...options }: ConnectOptions & { readonly manifestUrl: string },
  clock: Clock = systemClock,
): Promise<WalletPayer> {
  const bridge = { manifestUrl, clock, openEvents: openBridgeEvents(clock), fetch, sessions: noSessions };
  return connectBridge(entry, bridge, options);
}
