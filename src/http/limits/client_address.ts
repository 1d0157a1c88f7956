/** An address leaves this module only as a keyed hash that changes every hour, so dumps reveal no clients. */
import { isIP } from "node:net";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Secret } from "../../core/text/secret.ts";

/** IPv6 networks are counted as a /64, the least that a customer gets (RFC 6177). */
const NETWORK_PREFIX_GROUPS = 4;
const HOUR_MS = 3_600_000;
const encoder = new TextEncoder();

/** Clients can forge all but the last `proxies` entries of `forwarded` (`X-Forwarded-For`). */
export function clientNetwork(socket: string, forwarded: string | undefined, proxies: number): string {
  const hops = [...(forwarded ?? "").split(",").map((each) => each.trim()), socket];
  const hop = hops[hops.length - 1 - proxies];
  return parseNetwork(hop ?? "") ?? parseNetwork(socket) ?? "unknown";
}

function parseNetwork(text: string): string | undefined {
  const address = stripPort(text);
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6) return undefined;
  const groups = ipv6Groups(address.replace(/%.*$/, ""));
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff; // RFC 4291, 2.5.5.2
  if (mapped) return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join(".");
  return `${groups.slice(0, NETWORK_PREFIX_GROUPS).map((group) => group.toString(16)).join(":")}::/64`;
}

/** Removes a port: some proxies write `1.2.3.4:5678` or `[::1]:5678`. */
function stripPort(text: string): string {
  return /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** The URL parser normalizes the spelling of an IPv6 address. */
function ipv6Groups(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left, right] = canonical.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = right === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array(zeros).fill("0"), ...right ?? []].map((group) => parseInt(group, 16));
}

/** Creates the function from networks to keys. Replicas with the same `secret` agree on a key for an hour. */
export function createClientKey(secret: Uint8Array, now: () => number): (network: string) => string {
  return (network) => {
    const hour = Math.floor(now() / HOUR_MS);
    return bytesToHex(hmac(sha256, secret, encoder.encode(`${hour} ${network}`))).slice(0, 32);
  };
}

/** Derives a secret that all replicas share. It reveals nothing about the mnemonic. */
export function deriveRateLimitSecret(mnemonic: Secret<string>): Uint8Array {
  return hmac(sha256, encoder.encode(mnemonic.reveal()), encoder.encode("tonado: keys of rate limits, v1"));
}
