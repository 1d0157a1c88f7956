import { withdrawCircuit } from "../../core/crypto/groth16.ts";
import type { Address } from "@ton/core";
import {
  compliancePublicSignals,
  type ComplianceReport,
  type ComplianceStatement,
  complianceTreePath,
  parseComplianceReport,
  purposeError,
} from "../../core/protocol/compliance.ts";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import type { Network } from "../../core/protocol/network.ts";
import { type Note, placeNote } from "../../core/protocol/note.ts";
import { NATIVE_DECIMALS } from "../../core/protocol/units.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { assertNoteMatchesPool, type PoolJetton } from "../notes/pool_match.ts";

/** What a compliance report is made from. */
export interface ComplianceReportRequest {
  readonly pool: AnyPool;
  readonly network: Network;
  readonly note: Note;
  readonly jetton?: PoolJetton;
  readonly prover: Prover;
  /** Recipient and reason of the report. The proof binds this text. */
  readonly purpose: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly onProgress?: (count: number) => void;
}

/**
 * Creates a compliance report.
 * @throws {Problem} `commitment_not_found`; `note_unspent`, because a report would link the later withdrawal;
 *   `invalid_report` for a malformed purpose; `wrong_pool`, `cancelled`
 * @example
 * ```ts
 * const purpose = "Example Bank, account opening";
 * const report = await createComplianceReport({
 *   pool, network: "testnet", note, prover, purpose, now: Date.now(),
 * });
 * ```
 */
export async function createComplianceReport(
  request: ComplianceReportRequest,
  options: ProveOptions = {},
): Promise<ComplianceReport> {
  const { pool, network, prover, purpose, now, onProgress } = request;
  const fault = purposeError(purpose);
  if (fault) throw new Problem("invalid_report", fault);
  const { denomination } = await assertNoteMatchesPool(pool, request.note, network, request.jetton);
  const { signal } = options;
  const note = await findSpentLeaf(pool, request.note, signal);
  const history = await fetchNoteHistory(pool.chain, pool.address, note, { signal, onProgress });
  const { deposit, withdrawal } = history;
  if (!deposit) {
    throw new Problem("commitment_not_found", "the pool's history does not contain a deposit of this note");
  }
  if (!withdrawal) throw new Problem("note_unspent");
  const testOnly = network !== "mainnet";
  const format = (address: Address) => address.toString({ bounceable: false, testOnly });
  const statement: ComplianceStatement = {
    network,
    pool: {
      address: pool.address.toString({ bounceable: true, testOnly }),
      ...note.version === 2 && { version: note.version },
      asset: note.asset,
      amount: note.amount,
      decimals: request.jetton?.decimals ?? NATIVE_DECIMALS,
      denomination: String(denomination),
    },
    purpose,
    madeAt: Math.floor(now / 1000),
    commitment: fieldToHex(note.commitment),
    nullifierHash: fieldToHex(note.nullifierHash),
    deposit: {
      leafIndex: deposit.leafIndex,
      timestamp: deposit.timestamp,
      depositor: format(depositorOf(deposit)),
      tx: toReportTransaction(deposit.tx),
    },
    withdrawal: {
      timestamp: withdrawal.timestamp,
      recipient: format(withdrawal.recipient),
      relayer: withdrawal.relayer && format(withdrawal.relayer),
      fee: String(withdrawal.fee),
      refund: String(withdrawal.refund),
      paid: String(denomination - withdrawal.fee),
      tx: toReportTransaction(withdrawal.tx),
    },
    vkeyHash: prover.vkeyHash[withdrawCircuit(note.version)]!,
  };
  const [root, nullifierHash, recipient] = compliancePublicSignals(statement).map(BigInt);
  const { nullifier, secret } = note;
  const prove = note.version === 2 ? prover.proveWithdraw2 : prover.proveWithdraw;
  const { proof } = await prove({
    root,
    nullifierHash,
    recipient,
    relayer: 0n,
    fee: 0n,
    refund: 0n,
    nullifier,
    secret,
    ...complianceTreePath(statement),
  }, options);
  return parseComplianceReport({ format: "tonado-compliance", version: 1, statement, proof });
}

/** Returns the note at its leaf; with several leaves (version 2), the last withdrawn one. Throws `note_unspent`. */
async function findSpentLeaf(pool: AnyPool, note: Note, signal: AbortSignal | undefined): Promise<Note> {
  if (note.version !== 2 || note.leafIndex !== undefined || !(pool instanceof V2Pool)) return note;
  const log = await pool.readLog({ signal });
  const leaves = log.leavesOf(note.commitment).map((leafIndex) => placeNote(note, leafIndex));
  if (leaves.length === 0) {
    throw new Problem("commitment_not_found", "the pool's history does not contain a deposit of this note");
  }
  const spent = leaves.findLast(({ nullifierHash }) => log.isSpent(nullifierHash));
  if (spent === undefined) throw new Problem("note_unspent");
  return spent;
}

function toReportTransaction({ lt, hash }: TransactionId) {
  return { lt: String(lt), hash };
}
