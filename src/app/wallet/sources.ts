/// <reference lib="dom" />
/** Lists the ways to connect to a wallet from this page. */
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { Records } from "../browser/indexeddb.ts";
import type { PayerSource, PayerSources } from "../ports.ts";
import type { BridgeOptions, WalletEntry } from "../../client/tonconnect/bridge.ts";
import { openBridgeEvents } from "../../client/tonconnect/bridge_events.ts";
import { findInjected } from "./injected.ts";
import { sealedSessions } from "./sealed_sessions.ts";
import committed from "../../client/tonconnect/wallets.json" with { type: "json" };

export interface SourcesOptions {
  readonly base: URL; // the app's folder
  /** The URL of the manifest that wallets show; default: `tonconnect-manifest.json` of the app's folder. */
  readonly walletManifest?: string | undefined;
  readonly records: Records;
  readonly wallets?: readonly WalletEntry[] | undefined;
  /** Origins that the page may connect to; default: all bridges of the list. */
  readonly bridges?: readonly string[] | undefined;
  readonly clock?: Clock;
}

export function browserPayerSources(
  { base, walletManifest, records, wallets = committed.wallets, bridges, clock = systemClock }:
    SourcesOptions,
): PayerSources {
  const manifestUrl = walletManifest ?? new URL("tonconnect-manifest.json", base).href;
  const common = { manifestUrl, clock };
  const options = {
    ...common,
    openEvents: openBridgeEvents(clock),
    fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
  };
  const reachable = wallets.filter(({ bridge }) => !bridges || bridges.includes(new URL(bridge).origin));
  return {
    list(vault) {
      const sessions = sealedSessions(records, vault);
      return [
        ...findInjected(globalThis, common),
        ...reachable.map((entry) => lazySource(entry, { ...options, sessions })),
      ];
    },
    forget: () => sealedSessions(records).remove().catch(() => {}),
  };
}

/** Loads the encryption of sessions when a wallet is connected. */
function lazySource(entry: WalletEntry, options: BridgeOptions): PayerSource {
  return {
    id: `bridge:${entry.id}`,
    name: entry.name,
    kind: "bridge",
    async connect(connectOptions) {
      const { connectBridge } = await import("../../client/tonconnect/bridge.ts");
      return await connectBridge(entry, options, connectOptions);
    },
  };
}
