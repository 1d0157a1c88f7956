import assert from "node:assert/strict";
import { SessionCrypto } from "@tonconnect/protocol";
import { BridgeChannel } from "./bridge_channel.ts";

Deno.test("a message that is cancelled while the bridge has not answered is cancelled, not a fault of the bridge", async () => {
  await using server = Deno.serve({ port: 0, onListen: () => {} }, () => new Promise<Response>(() => {}));
  const channel = new BridgeChannel({
    bridge: `http://127.0.0.1:${server.addr.port}`,
    session: new SessionCrypto(),
    openEvents: () => ({ close: () => {} }),
    fetch,
    onMessage: () => {},
  });
  const stop = new AbortController();
  const request = { id: "1", method: "disconnect", params: [] } as const;
  const sent = channel.send(new SessionCrypto().sessionId, request, stop.signal);
  stop.abort();
  await assert.rejects(sent, { code: "cancelled" });
});
