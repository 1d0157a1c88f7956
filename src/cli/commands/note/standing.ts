/** Prints the known facts of stored notes, and updates them from the chain. */
import type { NoteStatus } from "../../../client/notes/note_check.ts";
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { recordPayment } from "../../../client/notes/withdrawal_attempts.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { poolKey } from "../../../core/protocol/deployments.ts";
import { formatIsoTime } from "../../output/progress.ts";

/** The printable facts of a note. The nullifier hash is omitted: it would link deposit and withdrawal. */
export function toPublicFacts({ id, note, state, createdAt, pool, deposit, withdrawal }: NoteRecord) {
  const { asset, amount, network, version, commitment } = note.reveal();
  return {
    id,
    state,
    network,
    pool: poolKey({ asset, amount, version }),
    ...pool === undefined ? {} : { poolAddress: pool },
    commitment: fieldToHex(commitment),
    createdAt: new Date(createdAt).toISOString(),
    ...deposit?.leafIndex === undefined ? {} : { leafIndex: deposit.leafIndex },
    ...deposit?.timestamp === undefined ? {} : { depositedAt: formatIsoTime(deposit.timestamp) },
    ...withdrawal && { recipient: withdrawal.recipient, relayer: withdrawal.relayer ?? null },
  };
}

export function toIsoTimes({ depositedAt, withdrawnAt }: Pick<NoteStatus, "depositedAt" | "withdrawnAt">) {
  return {
    ...depositedAt === undefined ? {} : { depositedAt: formatIsoTime(depositedAt) },
    ...withdrawnAt === undefined ? {} : { withdrawnAt: formatIsoTime(withdrawnAt) },
  };
}

/** Stores what the chain shows. An interrupted withdrawal stays `withdrawing` while it is unspent. */
export async function saveStanding(
  store: NoteStore,
  record: NoteRecord,
  { state, leafIndex, depositor, depositedAt, payment, pool }: NoteStatus & { readonly pool?: string },
): Promise<NoteRecord> {
  const now = state === "absent"
    ? record.state
    : state === "deposited" && record.state === "withdrawing"
    ? "withdrawing"
    : state;
  const { leafIndex: known, from } = record.deposit ?? {};
  const same = known === leafIndex && (leafIndex === undefined || from === depositor);
  const { recipient } = record.withdrawal ?? {};
  const paid = !payment || recipient === undefined || recipient === payment.recipient.toRawString();
  if (now === record.state && same && paid && record.pool === pool) return record;
  const deposit = leafIndex === undefined ? {} : {
    deposit: {
      ...known === leafIndex && record.deposit,
      from: depositor,
      leafIndex,
      timestamp: depositedAt,
    },
  };
  const change = { state: now, ...pool === undefined ? {} : { pool }, ...deposit };
  return await store.update(record.id, { ...change, ...payment && recordPayment(record, payment) });
}
