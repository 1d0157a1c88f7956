/** Reads the events of a wallet's bridge, and connects again after a fault. */
import type { Clock } from "../../core/time.ts";
import type { OpenEvents } from "./bridge_channel.ts";

const BRIDGE_RETRY_MS = 3_000;

/** `EventSource` connects again after a lost connection, but not after an error of the bridge, such as 503. */
export const openBridgeEvents = (clock: Clock): OpenEvents => (url, onEvent) => {
  const address = new URL(url);
  const end = new AbortController();
  let source: EventSource;
  const open = () => {
    source = new EventSource(address);
    source.addEventListener("message", (event) => {
      if (event.lastEventId) address.searchParams.set("last_event_id", event.lastEventId);
      onEvent(event);
    });
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      clock.sleep(BRIDGE_RETRY_MS, end.signal).then(open, () => {}); // rejects once the channel is closed
    });
  };
  open();
  return {
    close() {
      end.abort();
      source.close();
    },
  };
};
