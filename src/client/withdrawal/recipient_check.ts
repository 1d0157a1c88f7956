import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployments } from "../../core/protocol/deployments.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { MatchedPool } from "../notes/pool_match.ts";

type AssetKind = MatchedPool["info"]["assetKind"];

/** The registry's contracts that cannot return money: pools, and the masters and wallets of their jettons. */
export function unrecoverableAddresses({ pools }: Deployments): Address[] {
  return [...pools.values()].flatMap(({ address, jettonMaster, jettonWallet }) =>
    [address, jettonMaster, jettonWallet].filter((each) => each !== undefined)
  );
}

/**
 * Throws `invalid_address` for a workchain in which pools of this kind do not pay, and `unpayable_recipient` for a
 * recipient in `blocked`: contracts that never return a payment.
 */
export function assertPayableAddress(
  recipient: Address,
  assetKind: AssetKind,
  blocked: Iterable<Address>,
): void {
  if (!isPayableWorkchain(recipient, assetKind)) {
    throw new Problem("invalid_address", workchainReason(assetKind));
  }
  const refused = (detail: string) => new Problem("unpayable_recipient", detail);
  if (recipient.hash.every((byte) => byte === 0)) {
    throw refused("the recipient is the zero address, which has no keys: the payment would be lost");
  }
  for (const each of blocked) {
    if (!each.equals(recipient)) continue;
    throw refused("the recipient is a pool, or a contract of a pool's jetton: the payment would be lost");
  }
}

/** Throws as {@linkcode assertPayableAddress} does. The pool itself says which contracts are its own. */
export function assertPayableRecipient(
  { pool, recipient, blockedRecipients = [] }: {
    readonly pool: AnyPool;
    readonly recipient: Address;
    readonly blockedRecipients?: readonly Address[];
  },
  { info: { assetKind, jettonMaster, jettonWallet } }: MatchedPool,
): void {
  const ownContracts = [pool.address, jettonMaster, jettonWallet].filter((each) => each !== null);
  assertPayableAddress(recipient, assetKind, [...ownContracts, ...blockedRecipients]);
}

/** Returns whether the pool can pay this recipient or relayer: not itself, its jetton wallet or an unknown workchain. */
export function isPayable(pool: AnyPool, party: Address, matched: MatchedPool): boolean {
  return isPayableWorkchain(party, matched.info.assetKind) && !party.equals(pool.address) &&
    !matched.info.jettonWallet?.equals(party);
}

export function unpayableReason(party: Address, matched: MatchedPool): string {
  const { assetKind } = matched.info;
  return isPayableWorkchain(party, assetKind) ? "a pool does not pay itself" : workchainReason(assetKind);
}

function workchainReason(assetKind: AssetKind): string {
  const workchains = assetKind === "jetton" ? "workchain 0" : "workchains 0 and -1";
  return `a pool of this kind pays in ${workchains} only`;
}

function isPayableWorkchain({ workChain }: Address, assetKind: AssetKind): boolean {
  return workChain === 0 || (workChain === -1 && assetKind !== "jetton");
}
