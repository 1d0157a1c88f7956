/** The section of the settings that changes the passphrase. */
import { useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import { findPassphraseFault } from "../flows/store.ts";
import type { Texts } from "../text/en.ts";
import { Form, NewPassphrase, PassphraseField } from "./fields.tsx";
import { Button, ProblemNotice, Progress } from "./parts.tsx";

export function ChangePassphrase(
  { texts, onChange }: {
    readonly texts: Texts;
    /** Locks the store, or returns why nothing was changed. */
    readonly onChange: (current: string, next: string) => Promise<Problem | undefined>;
  },
) {
  const { passphrase, settings } = texts;
  const [current, setCurrent] = useState("");
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const [tried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const fault = tried ? findPassphraseFault(first, second) : undefined;
  const submit = () => {
    setTried(true);
    if (current === "" || findPassphraseFault(first, second) !== undefined) return;
    setBusy(true);
    void onChange(current, first).then((problem) => {
      setProblem(problem);
      setBusy(false);
    });
  };
  return (
    <details>
      <summary>{settings.passphraseChange}</summary>
      <p class="hint">{settings.passphraseLead}</p>
      <ProblemNotice problem={problem} texts={texts} />
      <Form onSubmit={submit}>
        <PassphraseField
          id="current-passphrase"
          label={settings.passphraseCurrent}
          value={current}
          onInput={setCurrent}
          autocomplete="current-password"
          shown={false}
          texts={texts}
        />
        <NewPassphrase {...{ first, second, fault, texts, setFirst, setSecond }} />
        {isBusy
          ? <Progress label={passphrase.creating} texts={texts} />
          : <Button type="submit" disabled={current === ""}>{settings.passphraseChange}</Button>}
      </Form>
    </details>
  );
}
