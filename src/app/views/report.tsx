/** The report screen: create a report for one reader, or check one. */
import { useState } from "preact/hooks";
import type { CheckResult } from "../../core/errors/check_result.ts";
import type { ReportEvent, ReportState } from "../flows/report.ts";
import type { ReportCheck } from "../text/money_en.ts";
import { texts } from "../text/texts.ts";
import type { NoteRow } from "./notes.tsx";
import { Field, Form } from "./fields.tsx";
import { Button, Facts, type InStep, Notice, Progress, Step } from "./parts.tsx";

export interface ReportProps {
  readonly state: ReportState;
  /** Withdrawn notes of the open store; undefined if none is open. */
  readonly rows: readonly NoteRow[] | undefined;
  /** Leads to the locked store, if there is one. */
  readonly onUnlock: (() => void) | undefined;
  readonly send: (event: ReportEvent) => void;
  readonly onChooseFile: () => void;
  readonly onSave: (name: string, bytes: Uint8Array<ArrayBuffer>) => void;
}

export function ReportView(props: ReportProps) {
  const { state, send } = props;
  const { report, withdraw, app } = texts;
  switch (state.step) {
    case "choose":
      return <Choose {...props} state={state} />;
    case "purpose":
      return <Purpose {...props} state={state} />;
    case "making":
      return (
        <Step name="report-making" title={report.making}>
          <Progress label={withdraw.stage.proof} fraction={state.fraction} />
          <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.cancel}</Button>
        </Step>
      );
    case "made":
      return (
        <Step name="report-made" title={report.madeTitle}>
          <Notice kind="warning" text={report.madeLead} />
          <Button kind="primary" onClick={() => props.onSave(state.name, state.bytes)}>{report.save}</Button>
          <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.back}</Button>
        </Step>
      );
    case "checking":
      return <Step name="report-checking" title={report.checkTitle} progress={report.checking} />;
    case "checked":
      return <Checked {...props} state={state} />;
  }
}

function Choose({ state, rows, send, onChooseFile, onUnlock }: InStep<ReportProps, "choose">) {
  const { report } = texts;
  return (
    <Step name="report" title={report.title} lead={report.lead} problem={state.problem}>
      {rows && <Make rows={rows} send={send} />}
      {onUnlock && (
        <section>
          <h2>{report.makeTitle}</h2>
          <p>{report.makeLocked}</p>
          <Button onClick={onUnlock}>{report.unlock}</Button>
        </section>
      )}
      <section>
        <h2>{report.checkTitle}</h2>
        <p>{report.checkLead}</p>
        <Button kind="primary" onClick={onChooseFile}>{report.check}</Button>
      </section>
    </Step>
  );
}

function Make({ rows, send }: Pick<ReportProps, "send"> & { readonly rows: readonly NoteRow[] }) {
  const { report, app } = texts;
  return (
    <section>
      <h2>{report.makeTitle}</h2>
      <p>{rows.length === 0 ? report.makeNone : report.makeLead}</p>
      <ul class="notes">
        {rows.map((row) => (
          <li key={row.id} class="note withdrawn">
            <p class="amount">{app.amount(row.amount, row.asset)}</p>
            <button
              type="button"
              class="button plain"
              aria-label={`${report.make}: ${app.amount(row.amount, row.asset)}, ${row.id}`}
              onClick={() => send({ type: "make", id: row.id })}
            >
              {report.make}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Purpose({ state, send }: InStep<ReportProps, "purpose">) {
  const { report, app } = texts;
  const [purpose, setPurpose] = useState(state.purpose);
  const isAboutPurpose = state.problem?.code === "invalid_report";
  return (
    <Step name="purpose" title={report.purposeTitle} problem={isAboutPurpose ? undefined : state.problem}>
      <Form
        onSubmit={() =>
          send({ type: "purpose", purpose })}
      >
        <Field
          id="purpose"
          label={report.purpose}
          hint={report.purposeHint}
          value={purpose}
          onInput={setPurpose}
          error={isAboutPurpose ? report.purposeError : undefined}
        />
        <Button kind="primary" type="submit" disabled={purpose.trim() === ""}>{report.make}</Button>
      </Form>
      <Button
        kind="quiet"
        onClick={() =>
          send({ type: "back" })}
      >
        {app.back}
      </Button>
    </Step>
  );
}

function Checked({ state, send }: InStep<ReportProps, "checked">) {
  const { report, app } = texts;
  const { facts, checks } = state;
  const has = (verdict: CheckResult["verdict"]) => checks.some((check) => check.verdict === verdict);
  const isTrue = !has("failed");
  const title = !isTrue ? report.falseTitle : has("warning") ? report.warnedTitle : report.trueTitle;
  const date = (seconds: number) => new Date(seconds * 1000).toLocaleString(texts.language);
  return (
    <Step name="report-checked" title={title}>
      <ul class="checks">
        {checks.map(({ name, verdict, detail }) => (
          <li key={name} class={verdict}>
            <span class="symbol" aria-hidden="true">
              {verdict === "ok" ? "✓" : verdict === "warning" ? "△" : "!"}
            </span>
            <div>
              {report.checks[name as ReportCheck]?.[verdict] ?? name}
              {verdict !== "ok" && (
                <details>
                  <summary>{report.details}</summary>
                  <p class="hint" lang="en">{detail}</p>
                </details>
              )}
            </div>
          </li>
        ))}
      </ul>
      {isTrue && (
        <Facts
          facts={[
            [report.facts.purpose, facts.purpose],
            [report.facts.amount, app.decimal(facts.amount)],
            [report.facts.depositedAt, date(facts.depositedAt)],
            [report.facts.depositor, facts.depositor, true],
            [report.facts.withdrawnAt, date(facts.withdrawnAt)],
            [report.facts.recipient, facts.recipient, true],
          ]}
        />
      )}
      <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.back}</Button>
    </Step>
  );
}
