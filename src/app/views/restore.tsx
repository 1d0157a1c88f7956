/** The restore screen: from a file, a paper, a recovery code or a single note. */
import { useState } from "preact/hooks";
import { Secret } from "../../core/text/secret.ts";
import type { RestoreEvent, RestoreState } from "../flows/restore.ts";
import { texts } from "../text/texts.ts";
import { Field, Form, PassphraseForm } from "./fields.tsx";
import { Button, type InStep, Notice, Step } from "./parts.tsx";

export interface RestoreProps {
  readonly state: RestoreState;
  /** Without a store, a code needs a new passphrase for this device. */
  readonly hasStore: boolean;
  readonly send: (event: RestoreEvent) => void;
  readonly onChooseFile: () => void;
  readonly onScan?: (() => void) | undefined;
  readonly onDone: () => void;
}

export function RestoreView(props: RestoreProps) {
  const { state, hasStore, send } = props;
  const { restore } = texts;
  switch (state.step) {
    case "choose":
      return <Choose {...props} state={state} />;
    case "passphrase": {
      const isNew = state.source.kind === "text" && !hasStore;
      return (
        <Step
          name="restore-passphrase"
          title={isNew ? restore.passphraseNew : restore.passphraseFile}
          lead={isNew ? texts.passphrase.newLead : restore.passphraseLead}
          problem={state.problem}
        >
          <PassphraseForm
            id="restore-passphrase"
            submit={restore.open}
            autocomplete={isNew ? "new-password" : "current-password"}
            send={send}
          />
          <Button kind="quiet" onClick={() => send({ type: "back" })}>{texts.app.back}</Button>
        </Step>
      );
    }
    case "opening":
      return <Step name="restoring" title={restore.title} progress={restore.opening} />;
    case "done": {
      const { added, known, otherNetwork } = state.restored;
      return (
        <Step name="restored" title={restore.doneTitle}>
          <Notice kind="good" live="polite" text={restore.done(added, known)} />
          {otherNetwork > 0 && <Notice kind="warning" text={restore.otherNetwork(otherNetwork)} />}
          <Button kind="primary" onClick={props.onDone}>{restore.toNotes}</Button>
        </Step>
      );
    }
  }
}

function Choose({ state, send, onChooseFile, onScan }: InStep<RestoreProps, "choose">) {
  const { restore } = texts;
  const [text, setText] = useState("");
  return (
    <Step name="restore" title={restore.title} lead={restore.lead} problem={state.problem}>
      <Button kind="primary" onClick={onChooseFile}>{restore.file}</Button>
      {onScan && <Button onClick={onScan}>{restore.scan}</Button>}
      <Form
        onSubmit={() => {
          send({ type: "chosen", source: { kind: "text", text: new Secret(text) } });
          setText("");
        }}
      >
        <Field id="restore-text" label={restore.text} value={text} onInput={setText} rows={3} isCode />
        <Button type="submit" disabled={text.trim() === ""}>{restore.useText}</Button>
      </Form>
    </Step>
  );
}
