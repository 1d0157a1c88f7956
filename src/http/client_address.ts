/**
 * Whom a request is counted for. An address is used for nothing but that, and leaves this module only as a keyed hash
 * that changes every hour, so that neither a cache nor its dump tells who asked.
 */
import { isIP } from "node:net";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Secret } from "../core/secret.ts";

/** Groups of an IPv6 address that name its network: one customer has at least all of a /64 (RFC 6177). */
const NETWORK_GROUPS = 4;
const HOUR_MS = 3_600_000;
const encoder = new TextEncoder();

/**
 * The client's address as a bound is counted for: an IPv4 address, or the /64 of an IPv6 one.
 *
 * @param socket the peer's address
 * @param forwarded `X-Forwarded-For`; each proxy appends the address that it saw
 * @param proxies how many of ours are in front: what stands left of what they appended anybody may have written
 */
export function clientNetwork(socket: string, forwarded: string | undefined, proxies: number): string {
  const hops = [...(forwarded ?? "").split(",").map((hop) => hop.trim()), socket];
  const told = hops[hops.length - 1 - proxies];
  return networkOf(told ?? "") ?? networkOf(socket) ?? "unknown";
}

/** undefined for what is no address. */
function networkOf(text: string): string | undefined {
  const address = withoutPort(text);
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6) return undefined;
  const groups = groupsOf(address.replace(/%.*$/, ""));
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff; // RFC 4291, 2.5.5.2
  if (mapped) return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join(".");
  return `${groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16)).join(":")}::/64`;
}

/** Some proxies write `1.2.3.4:5678`, or `[::1]:5678`. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** The eight groups of an IPv6 address: the URL parser writes every form in one. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left, right] = canonical.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = right === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array(zeros).fill("0"), ...right ?? []].map((group) => parseInt(group, 16));
}

/** Turns a network into the key that it is counted under: equal on every replica that has `secret`, for an hour. */
export function clientKeys(secret: Uint8Array, now: () => number): (network: string) => string {
  return (network) => {
    const hour = Math.floor(now() / HOUR_MS);
    return bytesToHex(hmac(sha256, secret, encoder.encode(`${hour} ${network}`))).slice(0, 32);
  };
}

/** The secret of {@link clientKeys} that all replicas of a relayer have, and nobody else: it tells nothing of its origin. */
export function replicasSecret(mnemonic: Secret<string>): Uint8Array {
  return hmac(sha256, encoder.encode(mnemonic.reveal()), encoder.encode("tonado: keys of rate limits, v1"));
}
