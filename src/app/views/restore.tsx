/** The restore screen: from a file, a paper, a recovery code or a single note. */
import { useState } from "preact/hooks";
import type { RestoreEvent, RestoreState } from "../flows/restore.ts";
import { texts } from "../text/texts.ts";
import { Field, Form, PassphraseForm } from "./fields.tsx";
import { ChosenPassphrase, DrawnPassphrase } from "./new_passphrase.tsx";
import { Button, type InStep, Notice, Step } from "./parts.tsx";

export interface RestoreProps {
  readonly state: RestoreState;
  readonly send: (event: RestoreEvent) => void;
  readonly onChooseFile: () => void;
  readonly onText: (text: string) => void;
  readonly onScan?: (() => void) | undefined;
  readonly onDone: () => void;
}

export function RestoreView(props: RestoreProps) {
  const { state, send } = props;
  const { restore } = texts;
  switch (state.step) {
    case "choose":
      return <Choose {...props} state={state} />;
    case "checking":
      return <Step name="checking-code" title={restore.title} progress={restore.checking} />;
    case "passphrase":
      return <Passphrase {...props} state={state} />;
    case "drawing":
      return <Step name="drawing" title={texts.passphrase.drawnTitle} progress={texts.passphrase.drawing} />;
    case "drawn":
      return <DrawnPassphrase words={state.passphrase} isRequired={state.isRequired} send={send} />;
    case "opening":
      return <Step name="restoring" title={restore.title} progress={restore.opening} />;
    case "done": {
      const { added, known, otherNetwork } = state.restored;
      return (
        <Step name="restored" title={restore.doneTitle(added, known)}>
          <Notice kind="good" live="polite" text={restore.done(added, known)} />
          {otherNetwork > 0 && <Notice kind="warning" text={restore.otherNetwork(otherNetwork)} />}
          <Button kind="primary" onClick={props.onDone}>{restore.toNotes}</Button>
        </Step>
      );
    }
  }
}

function Passphrase({ state, send }: InStep<RestoreProps, "passphrase">) {
  const { restore, app } = texts;
  const onBack = () => send({ type: "back" });
  if (state.isNew) {
    return (
      <ChosenPassphrase
        name="restore-new"
        submit={restore.open}
        problem={state.problem}
        send={send}
        onBack={onBack}
      />
    );
  }
  return (
    <Step
      name="restore-passphrase"
      title={restore.passphraseFile}
      lead={restore.passphraseLead}
      problem={state.problem}
    >
      <PassphraseForm
        id="restore-passphrase"
        submit={restore.open}
        autocomplete="current-password"
        send={send}
      />
      <Button kind="quiet" onClick={onBack}>{app.back}</Button>
    </Step>
  );
}

function Choose({ state, onText, onChooseFile, onScan }: InStep<RestoreProps, "choose">) {
  const { restore } = texts;
  const [text, setText] = useState(() => state.text?.reveal() ?? "");
  return (
    <Step name="restore" title={restore.title} lead={restore.lead} problem={state.problem}>
      <Button kind="primary" onClick={onChooseFile}>{restore.file}</Button>
      {onScan && <Button onClick={onScan}>{restore.scan}</Button>}
      <Form onSubmit={() => onText(text)}>
        <Field id="restore-text" label={restore.text} value={text} onInput={setText} rows={3} isCode />
        <Button type="submit" disabled={text.trim() === ""}>{restore.useText}</Button>
      </Form>
    </Step>
  );
}
