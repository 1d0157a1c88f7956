import type { CheckState } from "../../flows/check.ts";
import { poolKey } from "../../../core/protocol/deployments.ts";
import type { BackupCoverage } from "../../services/backups/backup_coverage.ts";
import { deploymentOf } from "../../services/context.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { NoteRow } from "../../views/notes.tsx";
import type { AppPorts } from "../app_ports.ts";

/** Relayers settle a deposit within about 20 minutes. */
const OVERDUE_SECONDS = 1_800;

export function toRow(
  { context }: AppPorts,
  record: NoteEntry,
  check: CheckState,
  coverage: BackupCoverage | undefined,
  twins: ReadonlyMap<string, unknown>,
): NoteRow {
  const { asset, amount, version, network } = record.note;
  const isElsewhere = network !== context.registry.network;
  const { result } = check;
  const facts = result?.facts.get(record.id);
  const depositedAt = record.deposit?.timestamp ?? facts?.depositedAt;
  // Only version 2 deposits are settled, and only the pool shows whether one was.
  const isSettled = version === 1 || record.deposit?.settled || facts?.state === "deposited" ||
    facts?.state === "withdrawn";
  const isUnsettled = record.state === "deposited" && !isSettled && !isElsewhere;
  const state = isUnsettled
    ? facts ? "waiting" : isUnread(context, record, check) ? "unknown" : "checking"
    : record.state;
  const isUnpaid = state === "created" || state === "depositing";
  const chainTime = result?.chainTime;
  const deviceTime = context.clock.now() / 1000;
  // Also by this device's own clock, because an endpoint that lies about the time would offer a settlement at once.
  const waited = chainTime === undefined || depositedAt === undefined
    ? 0
    : Math.min(chainTime - depositedAt, deviceTime - record.createdAt / 1000);
  const now = chainTime ?? deviceTime;
  return {
    id: record.id,
    asset,
    amount,
    state,
    ...isElsewhere && { otherNetwork: network },
    isMissingInBackup: coverage?.hasSeed === true && coverage.missing.has(record.id),
    ...facts && { later: facts.later, unspentDeposits: facts.unspentDeposits },
    hasNullifierTwin: twins.has(record.id),
    isOverdue: isUnsettled && waited > OVERDUE_SECONDS,
    ...isUnpaid && { createdAt: record.createdAt },
    ageSeconds: depositedAt === undefined ? undefined : now - depositedAt,
  };
}

/** Whether the last check could not read the note's pool. */
function isUnread(context: AppPorts["context"], record: NoteEntry, { step, result }: CheckState): boolean {
  const deployment = deploymentOf(context, record);
  const key = deployment && poolKey(deployment);
  return step === "failed" || result?.unread.some(({ pool }) => pool === key) === true;
}

/** Shows what this visit has seen of a deposit before a check has read it from the pool: its payment, its settlement. */
export function withVisit(
  row: NoteRow,
  { paid, settled }: { readonly paid: ReadonlySet<string>; readonly settled: ReadonlySet<string> },
): NoteRow {
  if (row.state !== "waiting" && row.state !== "checking" && row.state !== "unknown") return row;
  if (settled.has(row.id)) return { ...row, state: "deposited", isOverdue: false };
  return paid.has(row.id) ? { ...row, state: "waiting" } : row;
}
