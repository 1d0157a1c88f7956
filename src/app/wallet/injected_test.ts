import { deepEqual, equal, rejects } from "node:assert/strict";
import { systemClock } from "../../core/time/clock.ts";
import { findInjected } from "./injected.ts";

const options = { manifestUrl: "https://app.example/m.json", clock: systemClock };
const bridge = { connect: () => Promise.resolve({}), send: () => Promise.resolve({}) };
const fail = (): never => {
  throw new Error("a property of another program");
};
const walletWith = (name: string, getter: () => unknown, base: object = bridge) => ({
  tonconnect: Object.defineProperty({ ...base }, name, { get: getter }),
});

Deno.test("wallets that fail when they are read are left out, and the others are found", () => {
  const scope = Object.defineProperty(
    {
      keeper: { tonconnect: { ...bridge, walletInfo: { name: "Keeper" } } },
      nameless: { tonconnect: bridge },
      numbered: { tonconnect: { ...bridge, walletInfo: { name: 7 } } },
      hostileInfo: walletWith("walletInfo", fail),
      hostileName: walletWith("walletInfo", () => Object.defineProperty({}, "name", { get: fail })),
      hostileConnect: walletWith("connect", fail),
      other: { tonconnect: { connect: bridge.connect } },
      nothing: null,
    },
    "hostile",
    { get: fail, enumerable: true },
  );
  const found = findInjected(scope, options).map(({ id, name }) => [id, name]);
  deepEqual(found, [
    ["injected:keeper", "Keeper"],
    ["injected:nameless", "nameless"],
    ["injected:numbered", "numbered"],
  ]);
});

Deno.test("a bridge that throws instead of answering is reported without its text", async () => {
  const [source] = findInjected({ keeper: { tonconnect: { ...bridge, connect: fail } } }, options);
  equal(source.name, "keeper");
  const connected = source.connect({
    network: "testnet",
    onLink: () => {},
    signal: new AbortController().signal,
  });
  await rejects(connected, { code: "wallet_unavailable", message: /bridge failed/ });
});
