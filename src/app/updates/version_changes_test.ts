import { deepEqual } from "node:assert/strict";
import { findVersionChanges } from "./version_changes.ts";
import type { VersionContent } from "./protocol.ts";

const config = {
  network: "testnet",
  depositEndpoint: "https://a.example",
  relayers: ["https://r1.example", "https://r2.example"],
  wallets: [{ id: "test", bridge: "https://bridge.example" }],
  pools: { network: "testnet", pools: { "native-10-v2": { address: "EQa", amount: "10" } } },
};
const file = (sha256: string) => ({ sha256, bytes: 1 });
const content = (config: unknown, files: VersionContent["files"]): VersionContent => ({
  config: JSON.stringify(config),
  files,
});
const files = { "index.html": file("1"), "app-a.js": file("2") };

Deno.test("every changed setting is found, with its old and new values", () => {
  const changed = {
    ...config,
    depositEndpoint: "https://b.example",
    relayers: ["https://r2.example", "https://evil.example"],
    wallets: [{ id: "test", bridge: "https://evil.example" }],
    pools: { network: "testnet", pools: { "native-10-v2": { address: "EQb", amount: "10" } } },
    connect: ["https://b.example"],
  };
  deepEqual(findVersionChanges(content(config, files), content(changed, files)), {
    files: [],
    settings: [
      { name: "depositEndpoint", removed: ["https://a.example"], added: ["https://b.example"] },
      { name: "relayers", removed: ["https://r1.example"], added: ["https://evil.example"] },
      { name: "wallets.test.bridge", removed: ["https://bridge.example"], added: ["https://evil.example"] },
      { name: "pools.native-10-v2.address", removed: ["EQa"], added: ["EQb"] },
      { name: "connect", removed: [], added: ["https://b.example"] },
    ],
  });
});

Deno.test("a setting cannot hide another one that is shown under the same name", () => {
  const pool = { address: "EQevil", amount: "10" };
  const address = (added: readonly string[]) => ({ name: "pools.native-10-v2.address", removed: [], added });
  const [wallet] = config.wallets;
  const evil = { id: "test", bridge: "https://evil.example" };
  const hiding: [Record<string, unknown>, unknown][] = [
    [
      { pools: { network: "testnet", pools: { "native-10-v2": pool }, ...config.pools.pools } },
      address(["EQevil"]),
    ],
    [
      { pools: { ...config.pools, pools: { "native-10-v2": pool } }, "pools.native-10-v2.address": "EQa" },
      address(["EQevil"]),
    ],
    [{ wallets: [evil, wallet] }, {
      name: "wallets.test.bridge",
      removed: [],
      added: ["https://evil.example"],
    }],
    [
      {
        depositEndpoint: "https://evil.example",
        note: { id: "depositEndpoint", depositEndpoint: "https://a.example" },
      },
      { name: "depositEndpoint", removed: [], added: ["https://evil.example"] },
    ],
  ];
  for (const [change, expected] of hiding) {
    const { settings } = findVersionChanges(content(config, files), content({ ...config, ...change }, files));
    deepEqual(settings.find(({ name }) => name === (expected as { name: string }).name), expected);
  }
});

Deno.test("the same values in other places are a change, shown whole", () => {
  const pools = (address: string) => ({ network: "testnet", pools: { p: { address } } });
  const [running, waiting] = [
    { "pools.p.address": "EQb", pools: pools("EQa") },
    { pools: pools("EQb"), "pools.p.address": "EQa" },
  ].map((config) => content(config, files));
  deepEqual(findVersionChanges(running, waiting).settings, [
    { name: "app_config", removed: [running.config], added: [waiting.config] },
  ]);
});

Deno.test("another order of relayers is a change, because the first one is asked first", () => {
  const relayers = config.relayers.toReversed();
  deepEqual(findVersionChanges(content(config, files), content({ ...config, relayers }, files)).settings, [
    { name: "relayers", removed: config.relayers, added: relayers },
  ]);
});

Deno.test("changed, new and missing files are found, and the same version has no changes", () => {
  const next = { "index.html": file("3"), "app-b.js": file("4") };
  deepEqual(findVersionChanges(content(config, files), content(config, next)).files, [
    "app-a.js",
    "app-b.js",
    "index.html",
  ]);
  deepEqual(findVersionChanges(content(config, files), content(config, files)), { files: [], settings: [] });
});
