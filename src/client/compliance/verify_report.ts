/** Verifies a compliance report against the chain. Nothing in the report is trusted. */
import { Address } from "@ton/core";
import {
  compliancePublicSignals,
  type ComplianceReport,
  type ComplianceStatement,
} from "../../core/protocol/compliance.ts";
import { type Deployments, poolKey } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatUnits, NATIVE_DECIMALS } from "../../core/protocol/units.ts";
import { DEVELOPMENT_LABEL } from "../../prover/artifacts.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import { type AnyPool, openPool } from "../../ton/pool/any_pool.ts";
import { withdrawCircuit } from "../../core/crypto/groth16.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import { loadPoolCode, poolKindOf } from "../../ton/pool/state_init.ts";
import { checkFailed, checkPassed, type CheckResult, checkWarning } from "../../core/errors/check_result.ts";

/** What a report is verified against. */
export interface ReportVerificationContext {
  readonly chain: Chain;
  readonly deployments: Deployments;
  readonly prover: Prover;
  readonly signal?: AbortSignal;
  readonly onProgress?: (count: number) => void;
}

type ClaimComparison = readonly [name: string, claimed: string | null, found: string | null];

/**
 * Checks proof, pool, deposit and withdrawal, in this order. The report is valid if no check failed.
 * @throws {Problem} `chain_unavailable` or `chain_inconsistent` if the chain cannot be read: the report is then neither
 *   valid nor invalid; `verification_busy`; `artifact_corrupted`, `artifact_unavailable`; `cancelled`
 * @example
 * ```ts
 * const checks = await verifyComplianceReport(report, { chain, deployments, prover });
 * const isValid = checks.every(({ verdict }) => verdict !== "failed");
 * ```
 */
export async function verifyComplianceReport(
  report: ComplianceReport,
  context: ReportVerificationContext,
): Promise<CheckResult[]> {
  const { statement } = report;
  const { chain, signal, onProgress } = context;
  const pool = openPool(chain, Address.parse(statement.pool.address), statement.pool.version);
  const checks = [
    await checkProof(report, context.prover, signal),
    await checkPool(statement, pool, context),
  ];
  if (checks[1].verdict === "failed") return checks; // the other checks would read an account that is no pool
  const commitment = BigInt(statement.commitment);
  const nullifierHash = BigInt(statement.nullifierHash);
  const leafIndex = statement.pool.version === 2 ? statement.deposit.leafIndex : undefined;
  const note = { commitment, nullifierHash, ...leafIndex !== undefined && { leafIndex } };
  const { deposit, withdrawal } = await fetchNoteHistory(chain, pool.address, note, { signal, onProgress });
  if (!deposit) {
    checks.push(checkFailed("deposit", "the pool's logs contain no deposit with this commitment"));
  } else {
    checks.push(compareClaims("deposit", `leaf ${deposit.leafIndex}, in the pool's own logs`, [
      ["leaf", String(statement.deposit.leafIndex), String(deposit.leafIndex)],
      ["time", String(statement.deposit.timestamp), String(deposit.timestamp)],
      ["depositor", toRawAddress(statement.deposit.depositor), depositorOf(deposit).toRawString()],
      ...transactionClaims(statement.deposit.tx, deposit.tx),
    ]));
  }
  if (!withdrawal) checks.push(checkFailed("withdrawal", "the pool's logs contain no such withdrawal"));
  else {
    const { fee, refund, paid, relayer, recipient, timestamp, tx } = statement.withdrawal;
    checks.push(compareClaims("withdrawal", "in the pool's own logs", [
      ["recipient", toRawAddress(recipient), withdrawal.recipient.toRawString()],
      ["relayer", relayer && toRawAddress(relayer), withdrawal.relayer?.toRawString() ?? null],
      ["fee", fee, String(withdrawal.fee)],
      ["refund", refund, String(withdrawal.refund)],
      ["paid amount", paid, String(BigInt(statement.pool.denomination) - withdrawal.fee)],
      ["time", String(timestamp), String(withdrawal.timestamp)],
      ...transactionClaims(tx, withdrawal.tx),
    ]));
  }
  const isSpent = await pool.getIsSpent(nullifierHash, { signal });
  checks.push(
    isSpent
      ? checkPassed("spent", "the pool reports the note as withdrawn")
      : checkFailed("spent", "the pool does not report this nullifier hash as spent"),
  );
  return checks;
}

async function checkProof(
  { statement, proof }: ComplianceReport,
  prover: Prover,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const circuit = withdrawCircuit(statement.pool.version);
  const ownHash = prover.vkeyHash[circuit];
  if (statement.vkeyHash !== ownHash) {
    return checkFailed(
      "proof",
      `it was made with the keys ${statement.vkeyHash.slice(0, 12)}, but this program has ` +
        `${ownHash?.slice(0, 12) ?? "none for version 2"}. Verify it with the release that made it`,
    );
  }
  if (!await prover.verify(circuit, proof, compliancePublicSignals(statement), { signal })) {
    return checkFailed(
      "proof",
      "it is invalid: its maker does not know the note, or the report was altered",
    );
  }
  const known = "its maker knows the note behind deposit and withdrawal";
  if (prover.label !== DEVELOPMENT_LABEL) return checkPassed("proof", known);
  return checkWarning(
    "proof",
    `${known}; but the report was made with development keys, and anyone who made those keys could forge it: ` +
      prover.label,
  );
}

async function checkPool(
  { pool: claimed }: ComplianceStatement,
  pool: AnyPool,
  { chain, deployments, signal }: ReportVerificationContext,
): Promise<CheckResult> {
  const { code } = await chain.account(pool.address, { signal });
  const listed = [...deployments.pools.values()].find(({ address }) => address.equals(pool.address));
  const kind = claimed.asset === "native" ? "native" : "jetton";
  const hash = code?.hash().toString("hex");
  if (hash === undefined) return checkFailed("pool", "there is no contract at the address");
  if (hash !== loadPoolCode(poolKindOf(kind, claimed.version)).codeHash) { // even if a registry lists the pool
    return checkFailed("pool", "the contract at the address is not a pool that this program knows");
  }
  let denomination: bigint;
  try {
    denomination = await pool.getDenomination({ signal });
  } catch (error) {
    if (!(error instanceof Problem && error.code === "contract_refused")) throw error;
    return checkFailed("pool", `the contract does not respond like a pool: ${error.message}`);
  }
  const decimals = listed?.decimals ?? (kind === "native" ? NATIVE_DECIMALS : claimed.decimals);
  const found = compareClaims("pool", `${poolKey(claimed)}, by its code`, [
    ["asset", claimed.asset, listed?.asset ?? claimed.asset],
    ["denomination", claimed.denomination, String(denomination)],
    ["decimals", String(claimed.decimals), String(decimals)],
    ["amount", claimed.amount, formatUnits(denomination, decimals)],
  ]);
  if (found.verdict === "failed" || listed) return found;
  return checkWarning(
    "pool",
    `${found.detail}; it is not in the registry, so the asset's name is unverified`,
  );
}

function compareClaims(name: string, detail: string, claims: readonly ClaimComparison[]): CheckResult {
  const wrong = claims.filter(([, claimed, found]) => claimed !== found)
    .map(([name, claimed, found]) =>
      `${name}: the report has ${claimed ?? "none"}, the chain ${found ?? "none"}`
    );
  return wrong.length === 0 ? checkPassed(name, detail) : checkFailed(name, wrong.join("; "));
}

function transactionClaims(
  claimed: { readonly lt: string; readonly hash: string },
  found: TransactionId,
): ClaimComparison[] {
  return [
    ["transaction", claimed.hash, found.hash],
    ["transaction's lt", claimed.lt, String(found.lt)],
  ];
}

function toRawAddress(address: string): string {
  return Address.parse(address).toRawString();
}
