/** The section of the settings that changes the passphrase. */
import { useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import { texts } from "../text/texts.ts";
import { Form, NewPassphrase, PassphraseField, useNewPassphrase } from "./fields.tsx";
import { Button, ProblemNotice, Progress } from "./parts.tsx";

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
