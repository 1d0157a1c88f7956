/** The home screen: every note, its state, and whether a backup was proven. */
import type { ProblemCode } from "../../core/errors/problem.ts";
import type { CheckState } from "../flows/check.ts";
import type { UnusedConnection } from "../flows/settings.ts";
import type { AppVersions } from "../ports.ts";
import { type Texts, texts } from "../text/texts.ts";
import { Button, Changes, Notice, ProblemNotice, Progress, Step, UnusedConnections } from "./parts.tsx";

/** A note as the list shows it. */
export interface NoteRow {
  readonly id: string;
  readonly amount: string;
  readonly asset: string;
  readonly state: keyof Texts["notes"]["state"];
  /** The note's network if it is not the app's. The note cannot be used here then. */
  readonly otherNetwork?: string | undefined;
  /** How often the note can be withdrawn, if it was paid more than once. */
  readonly unspentDeposits?: number | undefined;
  /** Deposits of others after this one, if known. */
  readonly later?: number | undefined;
  readonly ageSeconds?: number | undefined;
  /** Of a note that is not paid: when it was made, in Unix milliseconds. */
  readonly createdAt?: number;
  /** Whether the store has a proven backup, which does not bring back this note. */
  readonly isMissingInBackup: boolean;
  /** Whether another note of the store has the same pool and nullifier. Only one of them can be paid. */
  readonly hasNullifierTwin: boolean;
  /** Whether the deposit waits, or may wait, longer for its settlement than relayers usually take. */
  readonly isOverdue: boolean;
}

export interface NotesProps {
  readonly rows: readonly NoteRow[];
  /** Whether a proven backup has the seed; undefined until it is known. */
  readonly hasBackup: boolean | undefined;
  /** Other files or other settings of the app may wait for consent. */
  readonly versions: AppVersions | undefined;
  readonly unused: readonly UnusedConnection[];
  readonly check: CheckState;
  readonly onDeposit: () => void;
  readonly onBackup: () => void;
  readonly onSettings: () => void;
  readonly onCheck: () => void;
  readonly onStopCheck: () => void;
  readonly onOpen: (row: NoteRow) => void;
}

export function NotesView(props: NotesProps) {
  const { rows } = props;
  const { notes } = texts;
  return (
    <div class="columns">
      <Step name="notes" title={rows.length === 0 ? notes.empty : notes.title}>
        <UnusedConnections connections={props.unused} onSettings={props.onSettings} />
        {props.versions?.waiting && (
          <Notice kind="note" title={notes.newVersion}>
            <p>{notes.newVersionLead}</p>
            <Changes changes={props.versions.changes} />
            <Button onClick={props.onSettings}>{notes.toSettings}</Button>
          </Notice>
        )}
        {rows.length === 0 && <p class="lead">{notes.emptyLead}</p>}
        <ul class="notes">
          {rows.map((row) => <NoteCard key={row.id} row={row} onOpen={props.onOpen} />)}
        </ul>
        <Button kind="primary" onClick={props.onDeposit}>{notes.deposit}</Button>
        <Checking {...props} />
      </Step>
      <aside>
        <Backup {...props} />
        <section class="tips">
          <h2>{notes.tipTitle}</h2>
          <ul>{notes.tips.map((tip) => <li key={tip}>{tip}</li>)}</ul>
        </section>
      </aside>
    </div>
  );
}

function Backup({ rows, hasBackup, onBackup }: NotesProps) {
  const { notes } = texts;
  if (hasBackup === undefined) return null;
  const missing = rows.filter(({ isMissingInBackup }) => isMissingInBackup).length;
  if (hasBackup && missing === 0) {
    return <Notice kind="good" title={notes.backupProven} text={notes.backupProvenLead} />;
  }
  if (rows.length === 0) {
    return (
      <Notice kind="note" title={notes.backupNeeded}>
        <p>{notes.backupSoonLead}</p>
        <Button onClick={onBackup}>{notes.backupNow}</Button>
      </Notice>
    );
  }
  return (
    <Notice kind="warning" title={hasBackup ? notes.backupMissing(missing) : notes.backupNeeded}>
      <p>{hasBackup ? notes.backupMissingLead : notes.backupNeededLead}</p>
      <Button onClick={onBackup}>{notes.backupNow}</Button>
    </Notice>
  );
}

const symbols = {
  created: "○",
  depositing: "◔",
  checking: "◑",
  unknown: "?",
  waiting: "◑",
  deposited: "●",
  withdrawing: "→",
  withdrawn: "✓",
} as const;

function shortDate(at: number): string {
  return new Date(at).toLocaleString(texts.language, { dateStyle: "medium", timeStyle: "medium" });
}

function NoteCard({ row, onOpen }: { readonly row: NoteRow; readonly onOpen: NotesProps["onOpen"] }) {
  const { notes, app } = texts;
  const actions = {
    created: notes.resume,
    depositing: notes.resume,
    checking: undefined,
    unknown: undefined,
    waiting: row.isOverdue ? notes.settle : undefined,
    deposited: notes.withdraw,
    withdrawing: notes.follow,
    withdrawn: notes.report,
  } as const;
  const action = row.otherNetwork === undefined ? actions[row.state] : undefined;
  const details = [
    row.unspentDeposits !== undefined && row.unspentDeposits > 1 && notes.paidAgain(row.unspentDeposits),
    row.otherNetwork !== undefined && notes.otherNetwork(row.otherNetwork),
    row.hasNullifierTwin && notes.sharedNullifier,
    row.isMissingInBackup && notes.notInBackup,
    row.createdAt !== undefined && notes.made(shortDate(row.createdAt)),
    row.ageSeconds !== undefined && app.age(row.ageSeconds),
    row.later !== undefined && row.state === "deposited" && notes.later(row.later),
    row.state === "waiting" && (row.isOverdue ? notes.overdueLead : notes.waitingLead),
    row.state === "unknown" && notes.unknownLead,
    row.state === "withdrawing" && notes.withdrawingLead,
  ].filter(Boolean).join(" · ");
  const amount = app.amount(row.amount, row.asset);
  return (
    <li class={`note ${row.state}`}>
      <div>
        <p class="amount">{amount}</p>
        <p class="state">
          <span class="symbol" aria-hidden="true">{symbols[row.state]}</span> {notes.state[row.state]}
        </p>
        {details && <p class="hint">{details}</p>}
      </div>
      {action && (
        <button
          type="button"
          class="button plain"
          aria-label={`${action}: ${amount}, ${notes.state[row.state]}`}
          onClick={() => onOpen(row)}
        >
          {action}
        </button>
      )}
    </li>
  );
}

function Checking({ check, onCheck, onStopCheck, rows }: NotesProps) {
  const { notes, app } = texts;
  if (check.step === "reading" && !check.isBackground) {
    return (
      <>
        <Progress label={notes.checking(check.seen)} />
        <Button kind="quiet" onClick={onStopCheck}>{app.cancel}</Button>
      </>
    );
  }
  const { result } = check;
  return (
    <>
      <Button
        kind={rows.length === 0 ? "quiet" : "plain"}
        hint={["check-hint", notes.checkLead]}
        onClick={onCheck}
      >
        {notes.check}
      </Button>
      {check.step !== "idle" && <ProblemNotice problem={check.problem} />}
      {result !== undefined && result.recovered > 0 && (
        <Notice kind="good" live="polite" text={notes.recovered(result.recovered)} />
      )}
      {unreadPools(check).map(([code, pools]) => (
        <Notice
          key={code}
          kind="warning"
          live="polite"
          title={notes.unread(pools)}
          text={texts.problems[code].next}
        />
      ))}
    </>
  );
}

/** Groups unread pools by problem, because one endpoint failure affects all pools. */
function unreadPools({ result }: CheckState): [code: ProblemCode, pools: readonly string[]][] {
  const groups = new Map<ProblemCode, string[]>();
  for (const { pool, problem: { code } } of result?.unread ?? []) {
    groups.set(code, [...groups.get(code) ?? [], pool]);
  }
  return [...groups];
}
