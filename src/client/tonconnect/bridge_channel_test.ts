import assert from "node:assert/strict";
import { SessionCrypto } from "@tonconnect/protocol";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { BridgeChannel } from "./bridge_channel.ts";

const request = { id: "1", method: "disconnect", params: [] } as const;

/** Sends a message over a bridge that accepts connections and never answers. */
async function sendToSilence(signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  await using server = Deno.serve({ port: 0, onListen: () => {} }, () => new Promise<Response>(() => {}));
  const channel = new BridgeChannel({
    bridge: `http://127.0.0.1:${server.addr.port}`,
    session: new SessionCrypto(),
    openEvents: () => ({ close: () => {} }),
    fetch,
    clock,
    onMessage: () => {},
  });
  await channel.send(new SessionCrypto().sessionId, request, signal);
}

Deno.test("a message that is cancelled while the bridge has not answered is cancelled, not a fault of the bridge", async () => {
  const stop = new AbortController();
  const sent = sendToSilence(stop.signal, systemClock);
  stop.abort();
  await assert.rejects(sent, { code: "cancelled" });
});

Deno.test("a bridge that does not answer a message in time is reported", async () => {
  const impatient = { now: () => 0, sleep: () => Promise.resolve() };
  await assert.rejects(sendToSilence(undefined, impatient), { code: "wallet_unavailable" });
});
