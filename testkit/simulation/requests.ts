/** Requests of clients to a relayer, and rival messages to a pool. */
import { type Address, beginCell, type Cell } from "@ton/core";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { storeWithdraw, type WithdrawBody } from "../../src/core/protocol/messages/pool_messages.ts";
import type { SubmittedWithdrawal } from "../../src/relay/withdrawals/checks.ts";
import { FORGED_FEE, type SimulatedPool } from "./accounts.ts";

/** A note in the pool's tree, by the values that a withdrawal reveals. */
export interface SimulatedNote {
  readonly pool: SimulatedPool;
  readonly nullifierHash: bigint;
  readonly recipient: Address;
}

const FEE = 60_000_000n;
const g1 = bls12_381.G1.Point.BASE.toAffine();
const g2 = bls12_381.G2.Point.BASE.toAffine();
const one = [String(g1.x), String(g1.y), "1"];
/** Points of the curves. The verifier decides whether they prove anything, and the simulation replaces it. */
export const baseProof = {
  pi_a: one,
  pi_b: [[String(g2.x.c0), String(g2.x.c1)], [String(g2.y.c0), String(g2.y.c1)], ["1", "0"]],
  pi_c: one,
  protocol: "groth16",
  curve: "bls12381",
} as const;

/** Returns the withdrawal of `note` through the relayer at `relayer`. */
export function withdrawRequest(
  { pool, nullifierHash, recipient }: SimulatedNote,
  root: bigint,
  relayer: Address,
): SubmittedWithdrawal {
  return {
    pool: pool.address,
    proof: baseProof,
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

/** Returns a front-running copy of a relayer's message: the same withdrawal, or one that the pool rejects. */
export function frontRunBody(
  rival: SimulatedNote & { root: bigint; relayer: Address; forged: boolean; seen: WithdrawBody | undefined },
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
