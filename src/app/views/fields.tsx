/** Forms and their fields. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PassphraseFault } from "../flows/store.ts";
import type { Texts } from "../text/en.ts";
import { Button } from "./parts.tsx";

/** A form with one primary action. */
export function Form(
  { onSubmit, children }: { readonly onSubmit: () => void; readonly children: ComponentChildren },
) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly type?: "text" | "password";
  readonly autocomplete?: string;
  readonly rows?: number;
  readonly isCode?: boolean;
  readonly onKey?: (event: KeyEvent) => void;
}

interface KeyEvent {
  getModifierState(key: string): boolean;
}

export function Field(props: FieldProps) {
  const { id, label, value, onInput, hint, error, type = "text", rows } = props;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const shared = {
    id,
    name: id,
    value,
    class: props.isCode ? "code" : undefined,
    autocomplete: (props.autocomplete ?? "off") as "off",
    autocapitalize: "off" as const,
    spellcheck: false,
    "aria-invalid": error !== undefined,
    "aria-describedby": described,
    ...props.onKey && { onKeyDown: props.onKey, onKeyUp: props.onKey },
    onInput: (event: { readonly currentTarget: unknown }) =>
      onInput((event.currentTarget as { readonly value: string }).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {rows
        ? <textarea {...shared} rows={rows} />
        : type === "password"
        ? <input {...shared} type="password" />
        : <input {...shared} type="text" />}
      {error && <p class="error" id={`${id}-error`}>{error}</p>}
    </div>
  );
}

/** A passphrase field with a warning about Caps Lock, because the typed text is hidden. */
export function PassphraseField(
  { shown, texts, ...props }: Omit<FieldProps, "type" | "rows" | "isCode" | "onKey"> & {
    readonly shown: boolean;
    readonly texts: Texts;
  },
) {
  const [isCapsLock, setCapsLock] = useState(false);
  return (
    <div class="passphrase">
      <Field
        {...props}
        type={shown ? "text" : "password"}
        onKey={(event) => setCapsLock(event.getModifierState("CapsLock"))}
      />
      <p class="hint" role="status">{isCapsLock ? texts.passphrase.capsLock : ""}</p>
    </div>
  );
}

/** A form for a passphrase, which it clears from the page's state on submission. */
export function PassphraseForm(
  { id, label, submit, error, hint, autocomplete, texts, onPassphrase }: {
    readonly id: string;
    readonly label: string;
    readonly submit: string;
    readonly error?: string | undefined;
    readonly hint?: string | undefined;
    readonly autocomplete: "current-password" | "new-password";
    readonly texts: Texts;
    readonly onPassphrase: (passphrase: string) => void;
  },
) {
  const [value, setValue] = useState("");
  const [shown, setShown] = useState(false);
  return (
    <Form
      onSubmit={() => {
        if (value === "") return;
        onPassphrase(value);
        setValue("");
      }}
    >
      <PassphraseField
        {...{ id, label, value, hint, error, autocomplete, shown, texts, onInput: setValue }}
      />
      <Check id={`${id}-show`} label={texts.passphrase.show} checked={shown} onChange={setShown} />
      <Button kind="primary" type="submit" disabled={value === ""}>{submit}</Button>
    </Form>
  );
}

/** A new passphrase, typed twice. */
export function NewPassphrase(
  { first, second, fault, texts, setFirst, setSecond }: {
    readonly first: string;
    readonly second: string;
    readonly fault: PassphraseFault | undefined;
    readonly texts: Texts;
    readonly setFirst: (text: string) => void;
    readonly setSecond: (text: string) => void;
  },
) {
  const { passphrase } = texts;
  const [shown, setShown] = useState(false);
  const shared = { shown, texts, autocomplete: "new-password" };
  return (
    <>
      <PassphraseField
        {...shared}
        id="passphrase"
        label={passphrase.label}
        value={first}
        onInput={setFirst}
        error={fault && fault !== "differs" ? passphrase[fault] : undefined}
      />
      <PassphraseField
        {...shared}
        id="repeat"
        label={passphrase.repeat}
        value={second}
        onInput={setSecond}
        error={fault === "differs" ? passphrase.differs : undefined}
      />
      <Check id="show" label={passphrase.show} checked={shown} onChange={setShown} />
    </>
  );
}

export function Check(
  { id, label, checked, onChange }: {
    readonly id: string;
    readonly label: string;
    readonly checked: boolean;
    readonly onChange: (checked: boolean) => void;
  },
) {
  return (
    <label class="check" for={id}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange((event.currentTarget as unknown as { checked: boolean }).checked)}
      />
      <span>{label}</span>
    </label>
  );
}
