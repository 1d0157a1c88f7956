/** Reads the events of a wallet's bridge. Connects again after a fault, or when the bridge has been silent. */
import type { Clock } from "../../core/time/clock.ts";
import type { OpenEvents } from "./bridge_channel.ts";

const RETRY_MS = 3_000;
/** A bridge sends a heartbeat every 10 seconds by default (ton-connect/bridge: docs/CONFIGURATION.md). */
const SILENCE_MS = 30_000;

/** The first connection to a bridge asks for all messages, a later one for those after the last event. */
export const openBridgeEvents = (clock: Clock): OpenEvents => (url, onEvent) => {
  const end = new AbortController();
  const address = new URL(url);
  const follow = async () => {
    while (!end.signal.aborted) {
      await readEvents(address, onEvent, clock, end.signal);
      await clock.sleep(RETRY_MS, end.signal);
    }
  };
  follow();
  return { close: () => end.abort() };
};

/** Resolves when the connection fails, or has been silent for too long: its other end may be gone. */
async function readEvents(
  address: URL,
  onEvent: Parameters<OpenEvents>[1],
  clock: Clock,
  end: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const over = AbortSignal.any([end, failed.signal]);
  const source = new EventSource(address);
  let heardAt = clock.now();
  source.addEventListener("error", () => failed.abort());
  source.addEventListener("message", (event) => {
    heardAt = clock.now();
    if (event.lastEventId) address.searchParams.set("last_event_id", event.lastEventId);
    onEvent(event);
  });
  try {
    for (let silent = 0; silent < SILENCE_MS && !over.aborted; silent = clock.now() - heardAt) {
      await clock.sleep(Math.min(SILENCE_MS, SILENCE_MS - silent), over);
    }
  } finally {
    source.close();
  }
}
