/** Settings: backup, passphrase, passkey, lock, look, connections, version, erase. */
import { useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import {
  type ConnectionFault,
  type ConnectionFaults,
  type Connections,
  type ConnectionsForm,
  formOf,
  type Settings,
} from "../flows/settings.ts";
import type { AppVersions } from "../ports.ts";
import { type Language, languageNames, languages } from "../text/languages.ts";
import { texts } from "../text/texts.ts";
import { Choice, Field, Form } from "./fields.tsx";
import { ChangePassphrase } from "./new_passphrase.tsx";
import { Button, Changes, Facts, Notice, ProblemNotice, Step } from "./parts.tsx";

export interface SettingsProps {
  readonly settings: Settings;
  readonly connections: Connections;
  /** The connections that the website offers. */
  readonly served: ConnectionsForm;
  /** Addresses that the page may connect to, if they are restricted. */
  readonly allowed: readonly string[];
  readonly network: string;
  readonly versions: AppVersions;
  readonly passkey: "none" | "available" | "enrolled";
  readonly onConnections: (form: ConnectionsForm) => ConnectionFaults;
  readonly onPassphrase: (current: string, next: string) => Promise<Problem | undefined>;
  readonly onChange: (change: Partial<Settings>) => void;
  /** Returns why the language is not shown. */
  readonly onLanguage: (language: Language | undefined) => Promise<Problem | undefined>;
  readonly onBackup: () => void;
  readonly onRestore: () => void;
  /** Returns why the passkey was not set up. */
  readonly onPasskey: (passphrase: string) => Promise<Problem | undefined>;
  /** Returns why the passkey was not removed. */
  readonly onRemovePasskey: () => Promise<Problem | undefined>;
  /** Returns why nothing was erased. */
  readonly onErase: () => Promise<Problem | undefined>;
  readonly onAcceptVersion: (id: string) => void;
}

export function SettingsView(props: SettingsProps) {
  const { versions, network } = props;
  const { settings } = texts;
  return (
    <Step name="settings" title={settings.title}>
      <div class="settings">
        <div class="sections">
          <section>
            <h2>{settings.backup}</h2>
            <Button onClick={props.onBackup}>{settings.backupMake}</Button>
            <Button onClick={props.onRestore}>{settings.restore}</Button>
          </section>
          <section>
            <h2>{settings.passphrase}</h2>
            <ChangePassphrase onChange={props.onPassphrase} />
          </section>
          <Passkey {...props} />
          <Lock {...props} />
          <Appearance {...props} />
        </div>
        <div class="sections">
          <ConnectionsSection {...props} />
          <section>
            <h2>{settings.version}</h2>
            <Version id={versions.running} network={network} />
            {versions.waiting && (
              <Notice kind="note">
                <p>{settings.waiting}</p>
                <Version id={versions.waiting} network={network} />
                <Changes changes={versions.changes} />
                <Button onClick={() => props.onAcceptVersion(versions.waiting!)}>{settings.accept}</Button>
              </Notice>
            )}
          </section>
          <Erase {...props} />
        </div>
      </div>
    </Step>
  );
}

/** @param props.id hash of the files, and after a dash that of the settings */
function Version({ id, network }: { readonly id: string; readonly network: string }) {
  const [files, ownSettings] = id.split("-");
  const { settings } = texts;
  return (
    <Facts
      facts={[
        [settings.running, files, true],
        ...ownSettings ? [[settings.runningSettings, `${ownSettings} (${network})`, true] as const] : [],
      ]}
    />
  );
}

function ConnectionsSection({ connections, served, allowed, onConnections }: SettingsProps) {
  const { settings } = texts;
  const textOf = (fault: ConnectionFault) =>
    fault === "blocked" ? settings.fault.blocked(allowed.join(", ")) : settings.fault[fault];
  const [form, setForm] = useState(() => formOf(connections));
  const [faults, setFaults] = useState<ConnectionFaults>();
  const save = (next: ConnectionsForm) => {
    setForm(next);
    setFaults(onConnections(next));
  };
  const field = (name: keyof ConnectionsForm, rows?: number) => (
    <Field
      id={name}
      label={settings[name]}
      value={form[name]}
      onInput={(value) => {
        setForm({ ...form, [name]: value });
        setFaults(undefined);
      }}
      error={faults?.[name] && textOf(faults[name])}
      isCode
      {...rows && { rows }}
    />
  );
  return (
    <section>
      <h2>{settings.connections}</h2>
      <p class="hint">{settings.connectionsLead}</p>
      {connections.isShared && <Notice kind="note" text={settings.shared} />}
      {connections.blocked.length > 0 && (
        <Notice kind="warning" text={settings.blocked(connections.blocked.join(", "))} />
      )}
      <Form onSubmit={() => save(form)}>
        {field("depositEndpoint")}
        {field("withdrawalEndpoint")}
        {field("relayers", 2)}
        <Button kind="primary" type="submit">{settings.save}</Button>
        {connections.hasOwn && <Button onClick={() => save(served)}>{settings.useServed}</Button>}
        <p role="status">{faults && Object.keys(faults).length === 0 ? settings.saved : ""}</p>
      </Form>
    </section>
  );
}

function Lock({ settings: values, onChange }: SettingsProps) {
  const { settings } = texts;
  return (
    <section>
      <h2>{settings.autoLock}</h2>
      <fieldset class="choices inline">
        <legend>{settings.lock}</legend>
        {[2, 10, 30].map((lockMinutes) => (
          <Choice
            key={lockMinutes}
            group="lock"
            value={lockMinutes}
            isChosen={values.lockMinutes === lockMinutes}
            onChoose={() => onChange({ lockMinutes })}
          >
            <span>{settings.minutes(lockMinutes)}</span>
          </Choice>
        ))}
      </fieldset>
    </section>
  );
}

function Appearance(props: SettingsProps) {
  const { settings: values, onChange } = props;
  const { settings } = texts;
  return (
    <section>
      <h2>{settings.appearance}</h2>
      <LanguageChoice {...props} />
      <fieldset class="choices inline">
        <legend>{settings.theme}</legend>
        {(["system", "light", "dark"] as const).map((theme) => (
          <Choice
            key={theme}
            group="theme"
            value={theme}
            isChosen={values.theme === theme}
            onChoose={() => onChange({ theme })}
          >
            <span>{settings.themes[theme]}</span>
          </Choice>
        ))}
      </fieldset>
    </section>
  );
}

function LanguageChoice({ settings: { language: chosen }, onLanguage }: SettingsProps) {
  const { settings } = texts;
  const [problem, setProblem] = useState<Problem>();
  return (
    <>
      <fieldset class="choices inline">
        <legend>{settings.language}</legend>
        {[undefined, ...languages].map((language) => (
          <Choice
            key={language}
            group="language"
            value={language ?? "browser"}
            isChosen={chosen === language}
            onChoose={() => void onLanguage(language).then(setProblem)}
          >
            <span lang={language}>{language ? languageNames[language] : settings.languageOfBrowser}</span>
          </Choice>
        ))}
      </fieldset>
      <ProblemNotice problem={problem} />
    </>
  );
}

function Passkey({ passkey, onPasskey, onRemovePasskey }: SettingsProps) {
  const { settings, passphrase } = texts;
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<Problem>();
  return (
    <section>
      <h2>{settings.passkey}</h2>
      <ProblemNotice problem={problem} />
      <p class="hint">{passkey === "none" ? settings.passkeyNone : settings.passkeyLead}</p>
      {passkey === "available" && (
        <Form
          onSubmit={() => {
            setValue("");
            void onPasskey(value).then(setProblem);
          }}
        >
          <Field
            id="passkey-passphrase"
            label={passphrase.label}
            value={value}
            onInput={setValue}
            type="password"
            autocomplete="current-password"
          />
          <Button type="submit" disabled={value === ""}>{settings.passkeyAdd}</Button>
        </Form>
      )}
      {passkey === "enrolled" && (
        <Button onClick={() => void onRemovePasskey().then(setProblem)}>{settings.passkeyRemove}</Button>
      )}
    </section>
  );
}

function Erase({ onErase }: SettingsProps) {
  const { settings } = texts;
  const [word, setWord] = useState("");
  const [problem, setProblem] = useState<Problem>();
  return (
    <section class="danger-zone">
      <h2>{settings.erase}</h2>
      <p>{settings.eraseLead}</p>
      <ProblemNotice problem={problem} />
      <Form onSubmit={() => word === settings.eraseWord && void onErase().then(setProblem)}>
        <Field id="erase" label={settings.eraseConfirm} value={word} onInput={setWord} />
        <Button kind="danger" type="submit" disabled={word !== settings.eraseWord}>{settings.eraseDo}</Button>
      </Form>
    </section>
  );
}
