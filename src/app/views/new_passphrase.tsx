/** A new passphrase: the user's own, typed twice, or drawn words to write down. */
import { useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { texts } from "../text/texts.ts";
import { Form, NewPassphrase, PassphraseField, useNewPassphrase } from "./fields.tsx";
import { Button, ProblemNotice, Progress, Step } from "./parts.tsx";

type PassphraseEvent = { readonly type: "passphrase"; readonly passphrase: Secret<string> };
type Send = (event: PassphraseEvent | { readonly type: "draw" }) => void;

export function ChosenPassphrase(
  { name, submit: label, problem, send, onBack }: {
    readonly name: string;
    readonly submit: string;
    readonly problem: Problem | undefined;
    readonly send: Send;
    readonly onBack?: () => void;
  },
) {
  const { passphrase } = texts;
  const { submit, ...typed } = useNewPassphrase();
  return (
    <Step name={name} title={passphrase.newTitle} lead={passphrase.newLead} problem={problem}>
      <Form onSubmit={() => submit((text) => send({ type: "passphrase", passphrase: new Secret(text) }))}>
        <NewPassphrase {...typed} />
        <Button kind="primary" type="submit">{label}</Button>
      </Form>
      <Button kind="quiet" onClick={() => send({ type: "draw" })}>{passphrase.draw}</Button>
      {onBack && <Button kind="quiet" onClick={onBack}>{texts.app.back}</Button>}
    </Step>
  );
}

export function DrawnPassphrase(
  { words, isRequired, send }: {
    readonly words: Secret<string>;
    /** Whether the device has too little memory for a passphrase of the user's own. */
    readonly isRequired: boolean;
    readonly send: Send;
  },
) {
  const { passphrase } = texts;
  return (
    <Step
      name="drawn"
      title={passphrase.drawnTitle}
      lead={isRequired ? passphrase.drawnLight : passphrase.drawnLead}
    >
      <ol class="words" lang="en">
        {words.reveal().split(" ").map((word, i) => <li key={i}>{word}</li>)}
      </ol>
      <p class="hint">{passphrase.drawnKeep}</p>
      <Button kind="primary" onClick={() => send({ type: "passphrase", passphrase: words })}>
        {passphrase.drawnDone}
      </Button>
      <Button kind="quiet" onClick={() => send({ type: "draw" })}>{passphrase.drawAgain}</Button>
    </Step>
  );
}

/** The section of the settings that changes the passphrase. */
export function ChangePassphrase(
  { onChange }: {
    /** Locks the store, or returns why nothing was changed. */
    readonly onChange: (current: string, next: string) => Promise<Problem | undefined>;
  },
) {
  const { passphrase, settings } = texts;
  const [current, setCurrent] = useState("");
  const { submit, ...typed } = useNewPassphrase();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const change = (next: string) => {
    if (current === "") return;
    setBusy(true);
    void onChange(current, next).then((problem) => {
      setProblem(problem);
      setBusy(false);
    });
  };
  return (
    <details>
      <summary>{settings.passphraseChange}</summary>
      <p class="hint">{settings.passphraseLead}</p>
      <ProblemNotice problem={problem} />
      <Form onSubmit={() => submit(change)}>
        <PassphraseField
          id="current-passphrase"
          label={settings.passphraseCurrent}
          value={current}
          onInput={setCurrent}
          autocomplete="current-password"
          shown={false}
        />
        <NewPassphrase {...typed} label={settings.passphraseNew} />
        {isBusy
          ? <Progress label={passphrase.creating} />
          : <Button type="submit" disabled={current === ""}>{settings.passphraseChange}</Button>}
      </Form>
    </details>
  );
}
