import { equal, match, notEqual } from "node:assert/strict";
import { clientNetwork, createClientKey } from "./client_address.ts";

const cases: [
  claim: string,
  socket: string,
  forwarded: string | undefined,
  proxies: number,
  network: string,
][] = [
  ["the peer itself", "203.0.113.7", undefined, 0, "203.0.113.7"],
  ["a header that nobody vouches for is not believed", "203.0.113.7", "198.51.100.1", 0, "203.0.113.7"],
  ["one proxy: what it appended", "10.0.0.1", "198.51.100.1", 1, "198.51.100.1"],
  [
    "one proxy: what a client wrote left of it is not believed",
    "10.0.0.1",
    "1.1.1.1, 198.51.100.1",
    1,
    "198.51.100.1",
  ],
  ["two proxies", "10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2", 2, "198.51.100.1"],
  ["a proxy that sends no header: the proxy", "10.0.0.1", undefined, 1, "10.0.0.1"],
  ["fewer hops than proxies: the peer", "10.0.0.1", "198.51.100.1", 3, "10.0.0.1"],
  ["what is no address: the peer", "10.0.0.1", "unknown", 1, "10.0.0.1"],
  ["a port of IPv4", "10.0.0.1", "198.51.100.1:4711", 1, "198.51.100.1"],
  ["a port of IPv6", "10.0.0.1", "[2001:db8:1:2:3::4]:4711", 1, "2001:db8:1:2::/64"],
  [
    "an IPv6 address counts as its /64",
    "2001:db8:1:2:aaaa:bbbb:cccc:dddd",
    undefined,
    0,
    "2001:db8:1:2::/64",
  ],
  ["zeros left out", "2001:db8::1", undefined, 0, "2001:db8:0:0::/64"],
  ["loopback", "::1", undefined, 0, "0:0:0:0::/64"],
  ["a zone", "fe80::1%eth0", undefined, 0, "fe80:0:0:0::/64"],
  ["an IPv4 address in IPv6 counts as itself", "::ffff:203.0.113.7", undefined, 0, "203.0.113.7"],
  ["no address at all", "", undefined, 0, "unknown"],
];
for (const [claim, socket, forwarded, proxies, network] of cases) {
  Deno.test(`client address: ${claim}`, () => equal(clientNetwork(socket, forwarded, proxies), network));
}

Deno.test("client address: its key reveals nothing, is equal on all replicas, and changes every hour", () => {
  let now = 0;
  const keys = createClientKey(new Uint8Array(32).fill(7), () => now);
  const replica = createClientKey(new Uint8Array(32).fill(7), () => now);
  const stranger = createClientKey(new Uint8Array(32).fill(8), () => now);
  const first = keys("203.0.113.7");
  match(first, /^[0-9a-f]{32}$/);
  equal(replica("203.0.113.7"), first);
  notEqual(keys("203.0.113.8"), first);
  notEqual(stranger("203.0.113.7"), first);
  now += 3_600_000;
  notEqual(keys("203.0.113.7"), first);
});
