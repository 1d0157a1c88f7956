/** The screens before the store is open: the first visit, a new store, and unlocking. */
import { useState } from "preact/hooks";
import { toProblem } from "../flows/machine.ts";
import type { StoreEvent, StoreState } from "../flows/store/store.ts";
import { texts } from "../text/texts.ts";
import { PassphraseForm } from "./fields.tsx";
import { ChosenPassphrase, DrawnPassphrase } from "./new_passphrase.tsx";
import { Button, type InStep, Notice, Step } from "./parts.tsx";

export interface StartProps<Session> {
  readonly state: Exclude<StoreState<Session>, { step: "open" }>;
  readonly send: (event: StoreEvent<Session>) => void;
  readonly ownAddress: string | undefined;
  readonly onRestore: () => void;
  /** Saves a store that cannot be opened as a file. */
  readonly onSave: () => Promise<void>;
  /** Removes a store that cannot be opened, so that a backup can be restored. */
  readonly onSetAside: () => Promise<void>;
  readonly onReport: () => void;
}

export function StartView<Session>(props: StartProps<Session>) {
  const { state, send } = props;
  const { passphrase } = texts;
  switch (state.step) {
    case "searching":
      return <Step name="searching" title={texts.app.name} progress={passphrase.looking} />;
    case "refused":
      return (
        <Step name="refused" title={texts.place.title}>
          <Notice kind="problem" live="assertive" text={texts.place[state.fault]} />
          {props.ownAddress && (
            <a class="button primary" href={props.ownAddress} target="_blank" rel="noreferrer">
              {texts.place.open}
            </a>
          )}
        </Step>
      );
    case "absent":
      return <Welcome {...props} />;
    case "new":
      return <ChosenPassphrase name="new" submit={passphrase.create} problem={state.problem} send={send} />;
    case "drawing":
      return <Step name="drawing" title={passphrase.drawnTitle} progress={passphrase.drawing} />;
    case "drawn":
      return <DrawnPassphrase words={state.passphrase} isRequired={state.isRequired} send={send} />;
    case "creating":
    case "opening":
      return (
        <Step
          name={state.step}
          title={state.step === "creating" ? passphrase.newTitle : passphrase.openTitle}
          progress={state.step === "creating" ? passphrase.creating : passphrase.opening}
        />
      );
    case "locked":
      return <Locked {...props} state={state} />;
    case "failed":
      return (
        <Step name="failed" title={texts.app.problem} problem={state.problem}>
          <Button kind="primary" onClick={() => send({ type: "retry" })}>{texts.app.retry}</Button>
        </Step>
      );
  }
}

function Locked<Session>(
  { state, send, onSave, onSetAside, onReport }: InStep<StartProps<Session>, "locked">,
) {
  const { passphrase } = texts;
  const [isSaved, setSaved] = useState(false);
  const [isForgotten, setForgotten] = useState(false);
  const isUnreadable = state.problem?.code === "note_store_corrupted";
  const fail = (error: unknown) => send({ type: "failed", problem: toProblem(error) });
  return (
    <Step name="locked" title={passphrase.openTitle} lead={passphrase.openLead} problem={state.problem}>
      {state.isReplaced && <Notice kind="note" live="polite" text={passphrase.replaced} />}
      <PassphraseForm id="passphrase" submit={passphrase.open} autocomplete="current-password" send={send} />
      {(isUnreadable || isForgotten || isSaved) && (
        <div class="way">
          <Button
            hint={["unreadable-hint", isForgotten ? passphrase.forgottenLead : passphrase.saveUnreadableHint]}
            onClick={() => void onSave().then(() => setSaved(true), fail)}
          >
            {isForgotten ? passphrase.saveLocked : passphrase.saveUnreadable}
          </Button>
          {isSaved && (
            <Button
              hint={["aside-hint", passphrase.setAsideHint]}
              onClick={() => void onSetAside().catch(fail)}
            >
              {passphrase.setAside}
            </Button>
          )}
        </div>
      )}
      {state.hasPasskey && <Button onClick={() => send({ type: "passkey" })}>{passphrase.passkey}</Button>}
      {!isUnreadable && !isForgotten && (
        <Button kind="quiet" onClick={() => setForgotten(true)}>{passphrase.forgotten}</Button>
      )}
      <Button kind="quiet" onClick={onReport}>{texts.start.report}</Button>
    </Step>
  );
}

function Welcome<Session>({ send, onRestore, onReport }: StartProps<Session>) {
  const { start } = texts;
  return (
    <div class="columns">
      <Step name="absent" title={start.title} lead={start.lead}>
        <ol class="story">{start.steps.map((step) => <li key={step}>{step}</li>)}</ol>
        <Button kind="primary" onClick={() => send({ type: "create" })}>{start.create}</Button>
        <Button onClick={onRestore}>{start.restore}</Button>
        <Button kind="quiet" onClick={onReport}>{start.report}</Button>
      </Step>
      <aside>
        <Notice kind="note" text={start.trust} />
        <Notice kind="warning" text={start.first} />
      </aside>
    </div>
  );
}
