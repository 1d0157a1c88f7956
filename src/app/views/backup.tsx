/** The backup screen: create a backup, read it back, open it. */
import { useState } from "preact/hooks";
import { Secret } from "../../core/text/secret.ts";
import type { BackupEvent, BackupState } from "../flows/backup.ts";
import type { Texts } from "../text/en.ts";
import { Field, Form, PassphraseForm } from "./fields.tsx";
import { Button, Notice, ProblemNotice, Progress, Step } from "./parts.tsx";

export interface BackupProps {
  readonly state: BackupState;
  readonly texts: Texts;
  readonly send: (event: BackupEvent) => void;
  readonly onChooseFile: () => void;
  /** Undefined if there is no camera. */
  readonly onScan?: (() => void) | undefined;
  readonly onDone: () => void;
}

export function BackupView({ state, texts, send, onChooseFile, onScan, onDone }: BackupProps) {
  const { backup, passphrase } = texts;
  switch (state.step) {
    case "offer":
    case "making":
      return (
        <Step name="offer" title={backup.title} lead={backup.lead}>
          <ProblemNotice problem={state.step === "offer" ? state.problem : undefined} texts={texts} />
          <div class="way">
            <Button
              kind="primary"
              describedBy="file-hint"
              onClick={() => send({ type: "make", kind: "file" })}
            >
              {backup.file}
            </Button>
            <p class="hint" id="file-hint">{backup.fileHint}</p>
          </div>
          <div class="way">
            <Button describedBy="paper-hint" onClick={() => send({ type: "make", kind: "paper" })}>
              {backup.paper}
            </Button>
            <p class="hint" id="paper-hint">{backup.paperHint}</p>
          </div>
        </Step>
      );
    case "made":
      return state.kind === "file"
        ? (
          <Step name="made-file" title={backup.madeFile} lead={backup.madeFileLead}>
            <ProblemNotice problem={state.problem} texts={texts} />
            <Button kind="primary" onClick={onChooseFile}>{backup.choose}</Button>
            <Button kind="quiet" onClick={() => send({ type: "make", kind: "file" })}>{backup.again}</Button>
          </Step>
        )
        : <PaperBack {...{ state, texts, send, onScan }} />;
    case "read":
      return (
        <Step name="read" title={backup.readTitle} lead={backup.readLead}>
          <ProblemNotice problem={state.problem} texts={texts} />
          <PassphraseForm
            id="backup-passphrase"
            label={passphrase.label}
            submit={backup.verify}
            autocomplete="current-password"
            texts={texts}
            onPassphrase={(text) => send({ type: "passphrase", passphrase: new Secret(text) })}
          />
        </Step>
      );
    case "verifying":
      return (
        <Step name="verifying" title={backup.readTitle}>
          <Progress label={backup.verifying} texts={texts} />
        </Step>
      );
    case "proven":
      return (
        <Step name="proven" title={backup.provenTitle}>
          <Notice kind="good" live="polite" text={backup.provenLead} />
          <Button kind="primary" onClick={onDone}>{texts.app.continue}</Button>
        </Step>
      );
  }
}

function PaperBack(
  { state, texts, send, onScan }:
    & Pick<BackupProps, "texts" | "send" | "onScan">
    & { readonly state: Extract<BackupState, { step: "made" }> },
) {
  const { backup } = texts;
  const [code, setCode] = useState("");
  return (
    <Step name="made-paper" title={backup.madePaper} lead={backup.madePaperLead}>
      <ProblemNotice problem={state.problem} texts={texts} />
      {onScan && <Button kind="primary" onClick={onScan}>{backup.scan}</Button>}
      <Form onSubmit={() => code && send({ type: "returned", content: { code: code.replace(/\s/g, "") } })}>
        <Field id="paper-code" label={backup.code} value={code} onInput={setCode} rows={4} isCode />
        <Button kind={onScan ? "plain" : "primary"} type="submit" disabled={code === ""}>
          {backup.useCode}
        </Button>
      </Form>
      <Button kind="quiet" onClick={() => send({ type: "make", kind: "paper" })}>{backup.again}</Button>
    </Step>
  );
}
