/** Forms and their fields. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Secret } from "../../core/text/secret.ts";
import { findPassphraseFault } from "../flows/store/store.ts";
import { texts } from "../text/texts.ts";
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
  { shown, ...props }: Omit<FieldProps, "type" | "rows" | "isCode" | "onKey"> & { readonly shown: boolean },
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
  { id, submit, autocomplete, send }: {
    readonly id: string;
    readonly submit: string;
    readonly autocomplete: "current-password" | "new-password";
    readonly send: (event: { readonly type: "passphrase"; readonly passphrase: Secret<string> }) => void;
  },
) {
  const { label, show } = texts.passphrase;
  const [value, setValue] = useState("");
  const [shown, setShown] = useState(false);
  return (
    <Form
      onSubmit={() => {
        if (value === "") return;
        send({ type: "passphrase", passphrase: new Secret(value) });
        setValue("");
      }}
    >
      <PassphraseField
        id={id}
        label={label}
        value={value}
        autocomplete={autocomplete}
        shown={shown}
        onInput={setValue}
      />
      <Check id={`${id}-show`} label={show} checked={shown} onChange={setShown} />
      <Button kind="primary" type="submit" disabled={value === ""}>{submit}</Button>
    </Form>
  );
}

/** The state of {@linkcode NewPassphrase}. `submit` shows the fault, or calls `onValid`. */
export function useNewPassphrase() {
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const [tried, setTried] = useState(false);
  const fault = findPassphraseFault(first, second);
  const submit = (onValid: (passphrase: string) => void) => {
    setTried(true);
    if (fault === undefined) onValid(first);
  };
  return { first, setFirst, second, setSecond, fault: tried ? fault : undefined, submit };
}

/** A new passphrase, typed twice. */
export function NewPassphrase(
  { first, setFirst, second, setSecond, fault, label }:
    & Omit<ReturnType<typeof useNewPassphrase>, "submit">
    & { readonly label?: string },
) {
  const { passphrase } = texts;
  const [shown, setShown] = useState(false);
  const shared = { shown, autocomplete: "new-password" };
  return (
    <>
      <PassphraseField
        {...shared}
        id="passphrase"
        label={label ?? passphrase.label}
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

/** One of the radio buttons of a group. */
export function Choice(
  { group, value, isChosen, disabled, onChoose, children }: {
    readonly group: string;
    readonly value: string | number;
    readonly isChosen: boolean;
    readonly disabled?: boolean;
    readonly onChoose: () => void;
    readonly children: ComponentChildren;
  },
) {
  return (
    <label class={`choice ${isChosen ? "chosen" : ""}`}>
      <input
        type="radio"
        name={group}
        value={value}
        disabled={disabled}
        checked={isChosen}
        onChange={onChoose}
      />
      {children}
    </label>
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
