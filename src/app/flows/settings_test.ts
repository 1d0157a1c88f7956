import { deepEqual, equal, ok } from "node:assert/strict";
import {
  allowedAddresses,
  applyConnections,
  connectionsOf,
  formOf,
  parseSettings,
  unusedConnections,
} from "./settings.ts";

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
  const { depositEndpoint, withdrawalEndpoint, relayers } = parseSettings({
    depositEndpoint: "localhost",
    withdrawalEndpoint: "ftp://b.example",
    relayers: ["x", "https://s.example"],
  });
  deepEqual([depositEndpoint, withdrawalEndpoint, relayers], [undefined, undefined, ["https://s.example"]]);
  deepEqual([parseSettings({ relayers: ["x"] }).relayers, parseSettings({ relayers: [] }).relayers], [
    undefined,
    [],
  ]);
  equal(parseSettings({ theme: "dark", lockMinutes: 99 }).theme, "dark");
});

Deno.test("connections must be URLs, and one endpoint for deposits and withdrawals is detected", () => {
  const settings = parseSettings({});
  equal(connectionsOf(settings, config).isShared, false);
  const form = { depositEndpoint: "https://b.example/x", withdrawalEndpoint: "https://b.example/y" };
  const applied = applyConnections(
    { ...form, relayers: "https://s.example\nhttps://s.example" },
    config,
  );
  ok("change" in applied);
  equal(connectionsOf(parseSettings(applied.change), config).isShared, true);
  deepEqual(applied.change.relayers, ["https://s.example"]);
  deepEqual(
    applyConnections(
      { depositEndpoint: "x", withdrawalEndpoint: "ftp://y", relayers: "" },
      config,
    ),
    { faults: { depositEndpoint: "invalid", withdrawalEndpoint: "invalid" } },
  );
  const v3 = "https://toncenter.com/api/v3";
  const other = applyConnections({ ...form, depositEndpoint: v3, relayers: v3 }, config);
  deepEqual(other, { faults: { depositEndpoint: "wrong_api" } });
  equal(parseSettings({ depositEndpoint: v3 }).depositEndpoint, undefined);
});

Deno.test("a connection that the page's policy blocks is refused before it is saved", () => {
  const form = {
    depositEndpoint: "https://a.example/rpc",
    withdrawalEndpoint: "https://c.example/rpc",
    relayers: "https://r.example",
  };
  const connect = ["https://a.example", "https://r.example"];
  const blocked = { faults: { withdrawalEndpoint: "blocked" } };
  deepEqual(applyConnections(form, { ...config, connect }), blocked);
  ok("change" in applyConnections(form, { ...config, connect: ["https:"] }));
});

Deno.test("only connections that differ from the website's are stored, so that later ones of the website are used", () => {
  const offered = formOf(config);
  const none = { depositEndpoint: undefined, withdrawalEndpoint: undefined, relayers: undefined };
  deepEqual(applyConnections(offered, config), { change: none });
  const withSlashes = {
    ...offered,
    depositEndpoint: `${config.depositEndpoint}/`,
    relayers: "https://r.example/",
  };
  deepEqual(applyConnections(withSlashes, config), { change: none });
  const own = { ...offered, withdrawalEndpoint: "https://c.example/rpc" };
  const withOwn = { ...none, withdrawalEndpoint: "https://c.example/rpc" };
  deepEqual(applyConnections(own, config), { change: withOwn });
  deepEqual(applyConnections({ ...offered, relayers: "" }, config), { change: { ...none, relayers: [] } });
  equal(connectionsOf(parseSettings({}), config).hasOwn, false);
  equal(connectionsOf(parseSettings(withOwn), config).hasOwn, true);
  const pinned = parseSettings({ ...config });
  equal(connectionsOf(pinned, config).hasOwn, false);
});

Deno.test("stored connections that the page may not use give way to the website's, and are named", () => {
  const connect = ["https://a.example", "https://b.example", "https://r.example", "https://s.example"];
  const served = { ...config, connect };
  const stored = parseSettings({
    depositEndpoint: "http://127.0.0.1:9/rpc",
    withdrawalEndpoint: "https://b.example/other",
    relayers: ["http://127.0.0.1:8", "https://s.example"],
  });
  const { depositEndpoint, withdrawalEndpoint, relayers, blocked, hasOwn } = connectionsOf(stored, served);
  deepEqual([depositEndpoint, withdrawalEndpoint, relayers, blocked, hasOwn], [
    ...[config.depositEndpoint, "https://b.example/other", ["https://s.example"]],
    ...[["http://127.0.0.1:9/rpc", "http://127.0.0.1:8"], true],
  ]);
  const others = parseSettings({ relayers: ["http://127.0.0.1:8"] });
  deepEqual(connectionsOf(others, served).relayers, config.relayers);
  deepEqual(connectionsOf(parseSettings({ relayers: [] }), served).relayers, []);
});

Deno.test("each stored connection that the page may not use is reported with the servers that replace it", () => {
  const connect = ["https://a.example", "https://b.example", "https://r.example", "https://s.example"];
  const unusedOf = (stored: unknown, changes = {}) =>
    unusedConnections(parseSettings(stored), { ...config, connect, ...changes });
  const deposit = { name: "depositEndpoint", own: ["http://a.example"], used: ["https://a.example"] };
  const withdrawal = {
    name: "withdrawalEndpoint",
    own: ["https://c.example:8"],
    used: ["https://b.example"],
  };
  const relayers = { name: "relayers", own: ["http://127.0.0.1:8"] };
  deepEqual(unusedOf({}), []);
  deepEqual(unusedOf({ ...config, relayers: [] }), []);
  deepEqual(unusedOf({ depositEndpoint: "http://a.example/rpc?key=1" }), [deposit]);
  deepEqual(unusedOf({ depositEndpoint: "http://a.example/rpc" }, { connect: undefined }), []);
  deepEqual(unusedOf({ withdrawalEndpoint: "https://c.example:8/rpc", relayers: ["http://127.0.0.1:8/"] }), [
    withdrawal,
    { ...relayers, used: ["https://r.example"] },
  ]);
  const some = { relayers: ["http://127.0.0.1:8", "https://s.example"] };
  deepEqual(unusedOf(some), [{ ...relayers, used: ["https://s.example"] }]);
  deepEqual(unusedOf({ relayers: ["http://127.0.0.1:8"] }, { relayers: [] }), [{ ...relayers, used: [] }]);
});

Deno.test("the addresses that the page may use are named in full if the website's settings contain them", () => {
  const connect = ["https://a.example", "https://b.example", "https://r.example", "https://app.example"];
  deepEqual(allowedAddresses({ ...config, connect }), [
    ...["https://a.example/rpc", "https://b.example/rpc", "https://r.example", "https://app.example"],
  ]);
  deepEqual(allowedAddresses({ ...config, connect: ["https:"] }), ["https:"]);
  deepEqual(allowedAddresses(config), []);
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
    return applyConnections({ ...endpoints, relayers }, config);
  };
  for (const count of [0, 20]) ok("change" in apply(count));
  deepEqual(apply(21), { faults: { relayers: "wrong_number" } });
});
