import type { Address } from "@ton/core";
import {
  compliancePublicSignals,
  type ComplianceReport,
  type ComplianceStatement,
  parseComplianceReport,
  purposeError,
} from "../../core/protocol/compliance.ts";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Note } from "../../core/protocol/note.ts";
import { NATIVE_DECIMALS } from "../../core/protocol/units.ts";
import type { ProveOptions, Prover } from "../../prover/prover.ts";
import { fetchNoteHistory } from "../../ton/pool/note_history.ts";
import type { Pool } from "../../ton/pool/pool.ts";
import { depositorOf } from "../../ton/pool/event_decoder.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { assertNoteMatchesPool, type PoolJetton } from "../notes/pool_match.ts";

export interface ComplianceReportRequest {
  readonly pool: Pool;
  readonly network: Network;
  readonly note: Note;
  readonly jetton?: PoolJetton;
  readonly prover: Prover;
  /** Recipient and reason of the report. The proof binds this text. */
  readonly purpose: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly onProgress?: (seen: number) => void;
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
  const { pool, network, note, prover, purpose, now, onProgress } = request;
  const fault = purposeError(purpose);
  if (fault) throw new Problem("invalid_report", fault);
  const { denomination } = await assertNoteMatchesPool(pool, note, network, request.jetton);
  const { signal } = options;
  const { deposit, withdrawal } = await fetchNoteHistory(pool.chain, pool.address, note, {
    signal,
    onProgress,
  });
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
    vkeyHash: prover.vkeyHash.withdraw,
  };
  const [root, nullifierHash, recipient] = compliancePublicSignals(statement).map(BigInt);
  const { nullifier, secret } = note;
  const { proof } = await prover.proveWithdraw({
    ...{ root, nullifierHash, recipient, relayer: 0n, fee: 0n, refund: 0n, nullifier, secret },
    ...new MerkleTree().nextLeafPath(),
  }, options);
  return parseComplianceReport({ format: "tonado-compliance", version: 1, statement, proof });
}

function toReportTransaction({ lt, hash }: TransactionId) {
  return { lt: String(lt), hash };
}
