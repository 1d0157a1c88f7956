/** Makes a compliance report of a note that was withdrawn; see `core/compliance.ts` for what it proves and hides. */
import type { Address } from "@ton/core";
import {
  type ComplianceReport,
  complianceSignals,
  type ComplianceStatement,
  parseReport,
  purposeFault,
} from "../core/compliance.ts";
import { Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import { NATIVE_DECIMALS } from "../core/units.ts";
import type { ProveOptions, Prover } from "../prover/prover.ts";
import { noteHistory } from "../ton/note_history.ts";
import type { Pool } from "../ton/pool.ts";
import { depositorOf } from "../ton/pool_transaction.ts";
import type { TransactionId } from "../ton/chain.ts";
import { assertNoteFits, type PoolJetton } from "./note_pool.ts";

/** What a report is made of. */
export interface ReportRequest {
  readonly pool: Pool;
  readonly network: Network;
  readonly note: Note;
  /** Of a jetton pool: which one it must be of. */
  readonly jetton?: PoolJetton;
  readonly prover: Prover;
  /** For whom and what for; the proof binds it. */
  readonly purpose: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Told how many transactions of the pool were read. */
  readonly onRead?: (seen: number) => void;
}

/**
 * Makes it.
 *
 * @throws {Problem} `commitment_not_found`; `note_unspent`, because a report before the withdrawal would give that away;
 *   `invalid_report` for a purpose that is empty, too long or not plain text; `wrong_pool`, `cancelled`
 */
export async function makeReport(
  request: ReportRequest,
  options: ProveOptions = {},
): Promise<ComplianceReport> {
  const { pool, network, note, prover, purpose, now, onRead: onProgress } = request;
  const fault = purposeFault(purpose);
  if (fault) throw new Problem("invalid_report", fault);
  const { denomination } = await assertNoteFits(pool, note, network, request.jetton);
  const { signal } = options;
  const { deposit, withdrawal } = await noteHistory(pool.chain, pool.address, note, { signal, onProgress });
  if (!deposit) throw new Problem("commitment_not_found", "the pool's history has no deposit of this note");
  if (!withdrawal) throw new Problem("note_unspent");
  const testOnly = network !== "mainnet";
  const person = (address: Address) => address.toString({ bounceable: false, testOnly });
  const said: ComplianceStatement = {
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
    commitment: toHex(note.commitment),
    nullifierHash: toHex(note.nullifierHash),
    deposit: {
      leafIndex: deposit.leafIndex,
      timestamp: deposit.timestamp,
      depositor: person(depositorOf(deposit)),
      tx: txOf(deposit.tx),
    },
    withdrawal: {
      timestamp: withdrawal.timestamp,
      recipient: person(withdrawal.recipient),
      relayer: withdrawal.relayer && person(withdrawal.relayer),
      fee: String(withdrawal.fee),
      refund: String(withdrawal.refund),
      paid: String(denomination - withdrawal.fee),
      tx: txOf(withdrawal.tx),
    },
    vkeyHash: prover.vkeyHash.withdraw,
  };
  const [root, nullifierHash, bound] = complianceSignals(said).map(BigInt);
  const { nullifier, secret } = note;
  const { proof } = await prover.proveWithdraw({
    ...{ root, nullifierHash, recipient: bound, relayer: 0n, fee: 0n, refund: 0n, nullifier, secret },
    ...new MerkleTree().zeroPath(),
  }, options);
  return parseReport({ format: "tonado-compliance", version: 1, statement: said, proof });
}

function txOf({ lt, hash }: TransactionId) {
  return { lt: String(lt), hash };
}
