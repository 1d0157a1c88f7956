/** The screens before the store is open: the first visit, a new store, and unlocking. */
import { useState } from "preact/hooks";
import { Secret } from "../../core/text/secret.ts";
import { toProblem } from "../flows/machine.ts";
import { findPassphraseFault, type StoreEvent, type StoreState } from "../flows/store.ts";
import type { Texts } from "../text/en.ts";
import { Form, NewPassphrase, PassphraseForm } from "./fields.tsx";
import { Button, Notice, ProblemNotice, Progress, Step } from "./parts.tsx";

export interface StartProps<Session> {
  readonly state: Exclude<StoreState<Session>, { step: "open" }>;
  readonly texts: Texts;
  readonly send: (event: StoreEvent<Session>) => void;
  readonly onRestore: () => void;
  /** Saves an unreadable store as a file. */
  readonly onSaveUnreadable: () => Promise<void>;
  /** Removes an unreadable store, so that a backup can be restored. */
  readonly onSetAside: () => Promise<void>;
  readonly onReport: () => void;
}

export function StartView<Session>(props: StartProps<Session>) {
  const { state, texts, send } = props;
  const { passphrase } = texts;
  switch (state.step) {
    case "searching":
      return (
        <Step name="searching" title={texts.app.name}>
          <Progress label={passphrase.looking} texts={texts} />
        </Step>
      );
    case "refused":
      return (
        <Step name="refused" title={texts.place.title}>
          <Notice kind="problem" live="assertive" text={texts.place[state.fault]} />
        </Step>
      );
    case "absent":
      return <Welcome {...props} />;
    case "new":
      return <NewStore problem={state.problem} {...{ texts, send }} />;
    case "drawing":
      return (
        <Step name="drawing" title={passphrase.drawnTitle}>
          <Progress label={passphrase.drawing} texts={texts} />
        </Step>
      );
    case "drawn":
      return <Drawn {...{ state, texts, send }} />;
    case "creating":
    case "opening":
      return (
        <Step
          name={state.step}
          title={state.step === "creating" ? passphrase.newTitle : passphrase.openTitle}
        >
          <Progress
            label={state.step === "creating" ? passphrase.creating : passphrase.opening}
            texts={texts}
          />
        </Step>
      );
    case "locked":
      return <Locked {...props} {...{ state }} />;
    case "failed":
      return (
        <Step name="failed" title={texts.app.problem}>
          <ProblemNotice problem={state.problem} texts={texts} />
          <Button kind="primary" onClick={() => send({ type: "retry" })}>{texts.app.retry}</Button>
        </Step>
      );
  }
}

type LockedProps<Session> = StartProps<Session> & {
  readonly state: Extract<StoreState<Session>, { step: "locked" }>;
};

function Locked<Session>(
  { state, texts, send, onSaveUnreadable, onSetAside, onReport }: LockedProps<Session>,
) {
  const { passphrase } = texts;
  const [isSaved, setSaved] = useState(false);
  const fail = (error: unknown) => send({ type: "failed", problem: toProblem(error) });
  return (
    <Step name="locked" title={passphrase.openTitle} lead={passphrase.openLead}>
      <ProblemNotice problem={state.problem} texts={texts} />
      <PassphraseForm
        id="passphrase"
        label={passphrase.label}
        submit={passphrase.open}
        autocomplete="current-password"
        texts={texts}
        onPassphrase={(text) => send({ type: "passphrase", passphrase: new Secret(text) })}
      />
      {(state.problem?.code === "note_store_corrupted" || isSaved) && (
        <div class="way">
          <Button
            describedBy="unreadable-hint"
            onClick={() => void onSaveUnreadable().then(() => setSaved(true), fail)}
          >
            {passphrase.saveUnreadable}
          </Button>
          <p class="hint" id="unreadable-hint">{passphrase.saveUnreadableHint}</p>
          {isSaved && (
            <>
              <Button describedBy="aside-hint" onClick={() => void onSetAside().catch(fail)}>
                {passphrase.setAside}
              </Button>
              <p class="hint" id="aside-hint">{passphrase.setAsideHint}</p>
            </>
          )}
        </div>
      )}
      {state.hasPasskey && <Button onClick={() => send({ type: "passkey" })}>{passphrase.passkey}</Button>}
      <Button kind="quiet" onClick={onReport}>{texts.start.report}</Button>
    </Step>
  );
}

function Welcome<Session>({ texts, send, onRestore, onReport }: StartProps<Session>) {
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

function Drawn<Session>(
  { state, texts, send }: Pick<StartProps<Session>, "texts" | "send"> & {
    readonly state: Extract<StoreState<Session>, { step: "drawn" }>;
  },
) {
  const { passphrase } = texts;
  return (
    <Step
      name="drawn"
      title={passphrase.drawnTitle}
      lead={state.isRequired ? passphrase.drawnLight : passphrase.drawnLead}
    >
      <ol class="words">
        {state.passphrase.reveal().split(" ").map((word, i) => <li key={i}>{word}</li>)}
      </ol>
      <p class="hint">{passphrase.drawnKeep}</p>
      <Button kind="primary" onClick={() => send({ type: "passphrase", passphrase: state.passphrase })}>
        {passphrase.drawnDone}
      </Button>
      <Button kind="quiet" onClick={() => send({ type: "draw" })}>{passphrase.drawAgain}</Button>
    </Step>
  );
}

function NewStore<Session>(
  { problem, texts, send }: Pick<StartProps<Session>, "texts" | "send"> & {
    readonly problem: Parameters<typeof ProblemNotice>[0]["problem"];
  },
) {
  const { passphrase } = texts;
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const [tried, setTried] = useState(false);
  const fault = tried ? findPassphraseFault(first, second) : undefined;
  return (
    <Step name="new" title={passphrase.newTitle} lead={passphrase.newLead}>
      <ProblemNotice problem={problem} texts={texts} />
      <Form
        onSubmit={() => {
          setTried(true);
          if (findPassphraseFault(first, second) !== undefined) return;
          send({ type: "passphrase", passphrase: new Secret(first) });
        }}
      >
        <NewPassphrase {...{ first, second, fault, texts, setFirst, setSecond }} />
        <Button kind="primary" type="submit">{passphrase.create}</Button>
      </Form>
      <Button kind="quiet" onClick={() => send({ type: "draw" })}>{passphrase.draw}</Button>
    </Step>
  );
}
