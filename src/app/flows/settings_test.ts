import { deepEqual, equal, ok } from "node:assert/strict";
import { applyConnections, connectionsOf, parseSettings } from "./settings.ts";

const config = {
  network: "testnet",
  depositEndpoint: "https://a.example/rpc",
  withdrawalEndpoint: "https://b.example/rpc",
  relayers: ["https://r.example"],
  pools: {},
} as const;

Deno.test("malformed members of stored settings get their defaults", () => {
  for (const kept of [undefined, null, 7, "x", [], { theme: "pink", lockMinutes: -1, relayers: "x" }]) {
    deepEqual([parseSettings(kept).theme, parseSettings(kept).lockMinutes], ["system", 10]);
  }
  equal(parseSettings({ theme: "dark", lockMinutes: 99 }).theme, "dark");
});

Deno.test("connections must be URLs, and one endpoint for deposits and withdrawals is detected", () => {
  const settings = parseSettings({});
  equal(connectionsOf(settings, config).isShared, false);
  const form = { depositEndpoint: "https://b.example/x", withdrawalEndpoint: "https://b.example/y" };
  const applied = applyConnections(
    { ...form, relayers: "https://r.example\nhttps://r.example" },
    undefined,
  );
  ok("change" in applied);
  equal(connectionsOf(parseSettings(applied.change), config).isShared, true);
  deepEqual(applied.change.relayers, ["https://r.example"]);
  deepEqual(
    applyConnections(
      { depositEndpoint: "x", withdrawalEndpoint: "ftp://y", relayers: "" },
      undefined,
    ),
    { faults: { depositEndpoint: "invalid", withdrawalEndpoint: "invalid" } },
  );
});

Deno.test("a connection that the page's policy blocks is refused before it is saved", () => {
  const form = {
    depositEndpoint: "https://a.example/rpc",
    withdrawalEndpoint: "https://c.example/rpc",
    relayers: "https://r.example",
  };
  const connect = ["https://a.example", "https://r.example"];
  const blocked = { faults: { withdrawalEndpoint: "blocked" } };
  deepEqual(applyConnections(form, connect), blocked);
  ok("change" in applyConnections(form, ["https:"]));
});

Deno.test("the consent to one endpoint for deposits and withdrawals ends when the endpoint changes", () => {
  const shared = { ...config, withdrawalEndpoint: "https://a.example/other" };
  const accepted = parseSettings({ acceptedSharedHost: "a.example" });
  equal(connectionsOf(accepted, shared).isShareAccepted, true);
  equal(connectionsOf(parseSettings({}), shared).isShareAccepted, false);
  const both = { depositEndpoint: "https://c.example/rpc", withdrawalEndpoint: "https://c.example/rpc" };
  equal(connectionsOf({ ...accepted, ...both }, config).isShareAccepted, false);
});

Deno.test("a connection to at most 20 relayers is accepted, and one more is not", () => {
  const endpoints = { depositEndpoint: "https://a.example", withdrawalEndpoint: "https://b.example" };
  const apply = (count: number) => {
    const relayers = Array.from({ length: count }, (_, i) => `https://r${i}.example`).join("\n");
    return applyConnections({ ...endpoints, relayers }, undefined);
  };
  for (const count of [0, 20]) ok("change" in apply(count));
  deepEqual(apply(21), { faults: { relayers: "wrong_number" } });
});
