import { equal, match, notEqual, rejects } from "node:assert/strict";
import { SessionCrypto } from "@tonconnect/protocol";
import { systemClock } from "../../core/time.ts";
import { connectBridge } from "./bridge.ts";

const entry = {
  id: "test",
  name: "Test",
  link: "https://wallet.example/connect",
  bridge: "http://127.0.0.1:9",
};

/** Returns the session that the connect link names, if `stored` is what an earlier visit has left. */
async function linkedSession(stored: unknown): Promise<string | null> {
  const stop = new AbortController();
  const links: string[] = [];
  const options = {
    manifestUrl: "https://app.example/manifest.json",
    clock: systemClock,
    newId: () => "1",
    openEvents: () => ({ close: () => {} }),
    fetch,
    sessions: {
      read: () => Promise.resolve(stored),
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
  };
  const onLink = (link: string) => {
    links.push(link);
    stop.abort();
  };
  await rejects(connectBridge(entry, options, { network: "testnet", onLink, signal: stop.signal }));
  return new URL(links[0]).searchParams.get("id");
}

Deno.test("a stored session continues, unless one of its keys is not 32 bytes in hex", async () => {
  const keys = new SessionCrypto().stringifyKeypair();
  const stored = { wallet: "test", network: "testnet", keys };
  equal(await linkedSession(stored), keys.publicKey);
  const broken = [
    { ...stored, keys: { ...keys, publicKey: "zz" } },
    { ...stored, keys: { ...keys, secretKey: "z".repeat(64) } },
    { ...stored, keys: { ...keys, secretKey: keys.secretKey.slice(2) } },
    { ...stored, peer: "zz" },
  ];
  for (const each of broken) {
    const session = await linkedSession(each);
    match(session!, /^[0-9a-f]{64}$/);
    notEqual(session, keys.publicKey);
  }
});
