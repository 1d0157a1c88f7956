import type { CheckState } from "../../flows/check.ts";
import type { BackupCoverage } from "../../services/backups/backup_coverage.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { NoteRow } from "../../views/notes.tsx";
import type { AppPorts } from "../app_ports.ts";

/** Relayers settle a deposit within about 20 minutes. */
const OVERDUE_SECONDS = 1_800;

export function toRow(
  { context }: AppPorts,
  record: NoteEntry,
  { result }: CheckState,
  coverage: BackupCoverage | undefined,
  twins: ReadonlyMap<string, unknown>,
): NoteRow {
  const { asset, amount, version, network } = record.note;
  const isElsewhere = network !== context.registry.network;
  const facts = result?.facts.get(record.id);
  const depositedAt = record.deposit?.timestamp ?? facts?.depositedAt;
  // Only version 2 deposits are settled, and only the pool shows whether one was.
  const isSettled = version === 1 || facts?.state === "deposited" || facts?.state === "withdrawn";
  const isWaiting = record.state === "deposited" && !isSettled && !isElsewhere;
  const chainTime = result?.chainTime;
  const waited = chainTime === undefined || depositedAt === undefined ? 0 : chainTime - depositedAt;
  const now = chainTime ?? context.clock.now() / 1000;
  return {
    id: record.id,
    asset,
    amount,
    state: isWaiting ? "waiting" : record.state,
    ...isElsewhere && { otherNetwork: network },
    isMissingInBackup: coverage?.hasSeed === true && coverage.missing.has(record.id),
    ...facts && { later: facts.later, unspentDeposits: facts.unspentDeposits },
    hasNullifierTwin: twins.has(record.id),
    isOverdue: isWaiting && waited > OVERDUE_SECONDS,
    ageSeconds: depositedAt === undefined ? undefined : now - depositedAt,
  };
}

/** Shows a deposit that this visit has settled as ready, before a check has read it from the pool. */
export function withSettlement(row: NoteRow, settledIds: ReadonlySet<string>): NoteRow {
  const isSettled = row.state === "waiting" && settledIds.has(row.id);
  return isSettled ? { ...row, state: "deposited", isOverdue: false } : row;
}
