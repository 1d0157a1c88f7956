/** Holds a compliance report against the chain: nothing in it is believed. */
import { Address } from "@ton/core";
import { type ComplianceReport, complianceSignals, type ComplianceStatement } from "../core/compliance.ts";
import { type Deployments, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { formatUnits, NATIVE_DECIMALS } from "../core/units.ts";
import { DEVELOPMENT_LABEL } from "../prover/artifacts.ts";
import type { Prover } from "../prover/prover.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { noteHistory } from "../ton/note_history.ts";
import { Pool } from "../ton/pool.ts";
import { depositorOf } from "../ton/pool_transaction.ts";
import { loadPoolCode } from "../ton/pool_state.ts";
import { type Check, failed, ok, warning } from "../core/check.ts";

/** What a report is held against. */
export interface ReportCheck {
  readonly chain: Chain;
  /** The registry of the report's network. */
  readonly known: Deployments;
  readonly prover: Prover;
  readonly signal?: AbortSignal;
  /** Told how many transactions of the pool were read. */
  readonly onProgress?: (seen: number) => void;
}

/** One thing that the report says, and what the chain says of it. */
type Claim = readonly [what: string, said: string | null, found: string | null];

/**
 * Checks in turn proof, pool, deposit and withdrawal.
 *
 * @throws {Problem} when the chain cannot be read: then nothing is known of the report
 */
export async function checkReport(report: ComplianceReport, against: ReportCheck): Promise<Check[]> {
  const { statement: said } = report;
  const { chain, signal, onProgress } = against;
  const pool = new Pool(chain, Address.parse(said.pool.address));
  const checks = [await checkProof(report, against.prover, signal), await checkPool(said, pool, against)];
  if (checks[1].verdict === "failed") return checks; // whatever else such an account says, it is no pool's word
  const commitment = BigInt(said.commitment);
  const nullifierHash = BigInt(said.nullifierHash);
  const { deposit, withdrawal } = await noteHistory(chain, pool.address, { commitment, nullifierHash }, {
    signal,
    onProgress,
  });
  if (!deposit) checks.push(failed("deposit", "the pool's logs have no deposit with this commitment"));
  else {
    checks.push(compared("deposit", `leaf ${deposit.leafIndex}, in the pool's own logs`, [
      ["leaf", String(said.deposit.leafIndex), String(deposit.leafIndex)],
      ["time", String(said.deposit.timestamp), String(deposit.timestamp)],
      ["depositor", raw(said.deposit.depositor), depositorOf(deposit).toRawString()],
      ...txClaims(said.deposit.tx, deposit.tx),
    ]));
  }
  if (!withdrawal) checks.push(failed("withdrawal", "the pool's logs have no such withdrawal"));
  else {
    const { fee, refund, paid, relayer, recipient, timestamp, tx } = said.withdrawal;
    checks.push(compared("withdrawal", "in the pool's own logs", [
      ["recipient", raw(recipient), withdrawal.recipient.toRawString()],
      ["relayer", relayer && raw(relayer), withdrawal.relayer?.toRawString() ?? null],
      ["fee", fee, String(withdrawal.fee)],
      ["refund", refund, String(withdrawal.refund)],
      ["paid amount", paid, String(BigInt(said.pool.denomination) - withdrawal.fee)],
      ["time", String(timestamp), String(withdrawal.timestamp)],
      ...txClaims(tx, withdrawal.tx),
    ]));
  }
  const isSpent = await pool.getIsSpent(nullifierHash, { signal });
  checks.push(
    isSpent
      ? ok("spent", "the pool says that the note is withdrawn")
      : failed("spent", "the pool says that no note with this nullifier hash is withdrawn"),
  );
  return checks;
}

async function checkProof(
  { statement: said, proof }: ComplianceReport,
  prover: Prover,
  signal?: AbortSignal,
): Promise<Check> {
  if (said.vkeyHash !== prover.vkeyHash.withdraw) {
    return failed(
      "proof",
      `it is for the keys ${said.vkeyHash.slice(0, 12)}, this program has ` +
        `${prover.vkeyHash.withdraw.slice(0, 12)}: verify it with the release that it was made with`,
    );
  }
  if (!await prover.verify("withdraw", proof, complianceSignals(said), { signal })) {
    return failed(
      "proof",
      "it does not hold: whoever made it does not know the note, or the report was altered",
    );
  }
  const known = "its maker knows the note behind deposit and withdrawal";
  if (prover.label !== DEVELOPMENT_LABEL) return ok("proof", known);
  return warning(
    "proof",
    `${known}; but the report was made with development keys, and anyone who made those keys could forge it: ` +
      prover.label,
  );
}

async function checkPool(
  { pool: said }: ComplianceStatement,
  pool: Pool,
  { chain, known, signal }: ReportCheck,
): Promise<Check> {
  const { code } = await chain.account(pool.address, { signal });
  const listed = [...known.pools.values()].find(({ address }) => address.equals(pool.address));
  const kind = said.asset === "native" ? "native" : "jetton";
  const hash = code?.hash().toString("hex");
  if (hash === undefined) return failed("pool", "there is no contract at its address");
  if (hash !== loadPoolCode(kind).codeHash) { // whatever a registry says
    return failed("pool", "the contract at its address is no pool that this program knows");
  }
  let denomination: bigint;
  try {
    denomination = await pool.getDenomination({ signal });
  } catch (error) {
    if (!(error instanceof Problem && error.code === "contract_refused")) throw error;
    return failed("pool", `it does not answer as a pool does: ${error.message}`);
  }
  const decimals = listed?.decimals ?? (kind === "native" ? NATIVE_DECIMALS : said.decimals);
  const found = compared("pool", `${poolKey(said)}, by its code`, [
    ["asset", said.asset, listed?.asset ?? said.asset],
    ["denomination", said.denomination, String(denomination)],
    ["decimals", String(said.decimals), String(decimals)],
    ["amount", said.amount, formatUnits(denomination, decimals)],
  ]);
  if (found.verdict === "failed" || listed) return found;
  return warning("pool", `${found.detail}; it is not in the registry, so its asset's name is only said`);
}

/** Every difference in one line. */
function compared(name: string, detail: string, claims: readonly Claim[]): Check {
  const wrong = claims.filter(([, said, found]) => said !== found)
    .map(([what, said, found]) => `${what}: it says ${said ?? "none"}, the chain ${found ?? "none"}`);
  return wrong.length === 0 ? ok(name, detail) : failed(name, wrong.join("; "));
}

function txClaims(said: { readonly lt: string; readonly hash: string }, found: TransactionId): Claim[] {
  return [
    ["transaction", said.hash, found.hash],
    ["transaction's lt", said.lt, String(found.lt)],
  ];
}

function raw(address: string): string {
  return Address.parse(address).toRawString();
}
