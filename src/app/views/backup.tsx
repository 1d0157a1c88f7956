/** The backup screen: create a backup, read it back, open it. */
import { useState } from "preact/hooks";
import type { BackupEvent, BackupState } from "../flows/backup.ts";
import { texts } from "../text/texts.ts";
import { Field, Form, PassphraseForm } from "./fields.tsx";
import { Button, type InStep, Notice, Step } from "./parts.tsx";

export interface BackupProps {
  readonly state: BackupState;
  readonly send: (event: BackupEvent) => void;
  readonly onChooseFile: () => void;
  /** Undefined if there is no camera. */
  readonly onScan?: (() => void) | undefined;
  readonly onDone: () => void;
}

export function BackupView(props: BackupProps) {
  const { state, send, onChooseFile, onDone } = props;
  const { backup } = texts;
  switch (state.step) {
    case "offer":
    case "making":
      return (
        <Step
          name="offer"
          title={backup.title}
          lead={backup.lead}
          problem={state.step === "offer" ? state.problem : undefined}
        >
          <div class="way">
            <Button
              kind="primary"
              hint={["file-hint", backup.fileHint]}
              onClick={() => send({ type: "make", kind: "file" })}
            >
              {backup.file}
            </Button>
          </div>
          <div class="way">
            <Button
              hint={["paper-hint", backup.paperHint]}
              onClick={() => send({ type: "make", kind: "paper" })}
            >
              {backup.paper}
            </Button>
          </div>
        </Step>
      );
    case "made":
      return state.kind === "file"
        ? (
          <Step name="made-file" title={backup.madeFile} lead={backup.madeFileLead} problem={state.problem}>
            <Button kind="primary" onClick={onChooseFile}>{backup.choose}</Button>
            <Button kind="quiet" onClick={() => send({ type: "make", kind: "file" })}>{backup.again}</Button>
          </Step>
        )
        : <PaperBack {...props} state={state} />;
    case "read":
      return (
        <Step name="read" title={backup.readTitle} lead={backup.readLead} problem={state.problem}>
          <PassphraseForm
            id="backup-passphrase"
            submit={backup.verify}
            autocomplete="current-password"
            send={send}
          />
        </Step>
      );
    case "verifying":
      return <Step name="verifying" title={backup.readTitle} progress={backup.verifying} />;
    case "proven":
      return (
        <Step name="proven" title={backup.provenTitle}>
          <Notice kind="good" live="polite" text={backup.provenLead} />
          <Button kind="primary" onClick={onDone}>{texts.app.continue}</Button>
        </Step>
      );
  }
}

function PaperBack({ state, send, onScan }: InStep<BackupProps, "made">) {
  const { backup } = texts;
  const [code, setCode] = useState("");
  return (
    <Step name="made-paper" title={backup.madePaper} lead={backup.madePaperLead} problem={state.problem}>
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
