/** Proves the next settlement of a version 2 pool for one sender, and judges how the pool answers it. */
import type { Address } from "@ton/core";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { exitCodes } from "../../core/errors/problem.ts";
import { settlerToField } from "../../core/protocol/messages/address_field.ts";
import { settlementInputs } from "../../core/tree/settlement.ts";
import type { Prover } from "../../prover/prover.ts";
import type { PoolEvent, RefusedEvent, SettlementEvent } from "../../ton/pool/history/pool_events.ts";
import { nextBatchSize } from "../../ton/pool/v2/settlement_terms.ts";
import type { DepositQueue } from "./deposit_queue.ts";

/** A settlement of the leaves `first` to `end - 1`. */
export interface ProvenSettlement {
  readonly first: number;
  readonly end: number;
  readonly newRoot: bigint;
  readonly proof: Groth16Proof;
}

/**
 * Proves the settlement of the oldest waiting deposits.
 * @param settler the wallet that sends it: the pool refuses the proof from any other
 * @throws {Problem} `tree_full`, and as `Prover.proveSettlement`
 */
export async function proveSettlement(
  prover: Prover,
  { tree, waiting }: Pick<DepositQueue, "tree" | "waiting">,
  settler: Address,
  { signal, onProgress }: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress: (fraction: number) => void;
  },
): Promise<ProvenSettlement> {
  const first = tree.size;
  const end = first + nextBatchSize(first, waiting.length);
  const input = settlementInputs(tree, waiting, settlerToField(settler));
  const { proof } = await prover.proveSettlement(input, {
    ...signal && { signal },
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  return { first, end, newRoot: input.newRoot, proof };
}

/** Returns whether the event answers a settlement, of any sender. */
export function isSettlementAnswer(event: PoolEvent): event is SettlementEvent | RefusedEvent {
  return event.kind === "settlement" || (event.kind === "refused" && event.op === "settle");
}

/**
 * Returns whether the pool refused a settlement because another one came first.
 * @param isBehind whether the pool has settled more than when the proof was made; the pool checks a proof against what
 * is settled now, so it refuses one that begins before that as invalid
 */
export function isOvertaken({ exitCode }: RefusedEvent, isBehind: boolean): boolean {
  return exitCode === exitCodes.ERR_STALE_SETTLE || exitCode === exitCodes.ERR_TOO_SOON ||
    (exitCode === exitCodes.ERR_PROOF_INVALID && isBehind);
}
