/** What clients ask of a relayer, and what others send to a pool in their place. */
import { type Address, beginCell, type Cell } from "@ton/core";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { addressToField } from "../../../src/core/address_field.ts";
import { storeWithdraw, type WithdrawBody } from "../../../src/core/messages.ts";
import type { WithdrawRequest } from "../../../src/relay/withdrawal_checks.ts";
import { FORGED_FEE, type PoolModel } from "./accounts.ts";

/** A note that is in the pool's tree, by what a withdrawal of it shows. */
export interface Note {
  readonly pool: PoolModel;
  readonly nullifierHash: bigint;
  readonly recipient: Address;
}

const FEE = 60_000_000n;
const g1 = bls12_381.G1.Point.BASE.toAffine();
const g2 = bls12_381.G2.Point.BASE.toAffine();
const one = [String(g1.x), String(g1.y), "1"];
/** Points of the curve; whether they prove anything is the verifier's business, and that is a part put in. */
const proof = {
  pi_a: one,
  pi_b: [[String(g2.x.c0), String(g2.x.c1)], [String(g2.y.c0), String(g2.y.c1)], ["1", "0"]],
  pi_c: one,
  protocol: "groth16",
  curve: "bls12381",
} as const;

/** The withdrawal of `note` through the relayer at `relayer`. */
export function requestOf(
  { pool, nullifierHash, recipient }: Note,
  root: bigint,
  relayer: Address,
): WithdrawRequest {
  return {
    pool: pool.address,
    proof,
    signals: {
      root,
      nullifierHash,
      recipient: addressToField(recipient),
      relayer: addressToField(relayer),
      fee: FEE,
      refund: 0n,
    },
    recipient,
    fee: FEE,
    refund: 0n,
  };
}

/** The message of somebody who has `seen` the relayer's: the same withdrawal, or one that the pool refuses. */
export function rivalBody(
  rival: Note & { root: bigint; relayer: Address; forged: boolean; seen: WithdrawBody | undefined },
): Cell {
  const { nullifierHash, recipient, root, relayer, forged, seen } = rival;
  return storeWithdraw({
    queryId: seen?.queryId ?? 0n,
    root,
    nullifierHash,
    fee: forged ? FORGED_FEE : FEE,
    refund: 0n,
    recipient,
    relayer,
    proof: seen?.proof ?? beginCell().endCell(),
  });
}
