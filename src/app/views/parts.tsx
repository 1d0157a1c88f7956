/** Common parts of all screens. They do no I/O: props in, events out. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import type { UnusedConnection } from "../flows/settings.ts";
import type { VersionChanges } from "../updates/version_changes.ts";
import { texts } from "../text/texts.ts";

/** Screens are also checked without the DOM's types. */
interface Focusable {
  focus(options?: unknown): void;
}

/** The props of a screen while its flow is in one step. */
export type InStep<Props extends { readonly state: { readonly step: string } }, Step> = Props & {
  readonly state: Extract<Props["state"], { step: Step }>;
};

/** A step of a screen. Its heading gets the focus when `name` changes, so that a reader begins at the top. */
export function Step(
  { name, title, lead, problem, progress, children }: {
    readonly name: string;
    readonly title: string;
    readonly lead?: string | undefined;
    readonly problem?: Problem | undefined;
    /** Names work in progress whose fraction is unknown. */
    readonly progress?: string;
    readonly children?: ComponentChildren;
  },
) {
  const heading = useRef<Focusable>(null);
  useLayoutEffect(() => {
    const { document } = globalThis as unknown as { document: { activeElement: unknown } };
    const focused = document.activeElement;
    // Later, because the focus makes the browser lay out the page, which would lengthen the task of the rendering. A
    // user who has already moved the focus keeps it.
    const timer = setTimeout(() => {
      if (document.activeElement === focused) heading.current?.focus({ preventScroll: false });
    });
    return () => clearTimeout(timer);
  }, [name]);
  return (
    <div class="step" data-step={name}>
      <h1 tabIndex={-1} ref={heading as never}>{title}</h1>
      {lead && <p class="lead">{lead}</p>}
      <ProblemNotice problem={problem} />
      {progress && <Progress label={progress} />}
      {children}
    </div>
  );
}

export function Button(
  { kind = "plain", type = "button", disabled, onClick, children, hint }: {
    readonly kind?: "primary" | "plain" | "quiet" | "danger";
    readonly type?: "button" | "submit";
    readonly disabled?: boolean | undefined;
    readonly onClick?: () => void;
    readonly hint?: readonly [id: string, text: string];
    readonly children: ComponentChildren;
  },
) {
  return (
    <>
      <button
        type={type}
        disabled={disabled}
        onClick={onClick}
        class={`button ${kind}`}
        aria-describedby={hint?.[0]}
      >
        {children}
      </button>
      {hint && <p class="hint" id={hint[0]}>{hint[1]}</p>}
    </>
  );
}

/** A message that screen readers read immediately. A symbol repeats the meaning of the colour. */
export function Notice(
  { kind, title, text, children, live }: {
    readonly kind: "problem" | "warning" | "good" | "note";
    readonly title?: string;
    readonly text?: string | undefined;
    readonly live?: "assertive" | "polite" | undefined;
    readonly children?: ComponentChildren;
  },
) {
  const symbols = { problem: "!", warning: "△", good: "✓", note: "i" } as const;
  const role = live === "assertive" ? "alert" : live === "polite" ? "status" : undefined;
  return (
    <div class={`notice is-${kind}`} role={role}>
      <span class="symbol" aria-hidden="true">{symbols[kind]}</span>
      <div>
        {title && <p class="notice-title">{title}</p>}
        {text && <p>{text}</p>}
        {children}
      </div>
    </div>
  );
}

export function ProblemNotice({ problem }: { readonly problem: Problem | undefined }) {
  if (problem === undefined) return null;
  const { text, next } = texts.problems[problem.code];
  return <Notice kind="problem" live="assertive" title={text} text={next} />;
}

/** Warns that the page uses other servers than those that the user chose in Settings. */
export function UnusedConnections(
  { connections, onSettings }: {
    readonly connections: readonly UnusedConnection[];
    readonly onSettings: () => void;
  },
) {
  const { notes, deposit: { unused } } = texts;
  if (connections.length === 0) return null;
  return (
    <Notice kind="warning" title={unused.title}>
      <p>{unused.lead}</p>
      <ul>
        {connections.map(({ name, own, used }) => (
          <li key={name}>{unused.line(unused[name], used.join(", ") || unused.none, own.join(", "))}</li>
        ))}
      </ul>
      <Button onClick={onSettings}>{notes.toSettings}</Button>
    </Notice>
  );
}

/** Work in progress: a bar with the real fraction, or a line of text if none is known. */
export function Progress(
  { label, fraction }: { readonly label: string; readonly fraction?: number | undefined },
) {
  const percent = fraction === undefined ? undefined : Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    <div class="progress">
      <p role="status" aria-live="polite">{label}</p>
      <div
        class={percent === undefined ? "bar waiting" : "bar"}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={percent === undefined ? undefined : texts.app.percent(percent / 100)}
      >
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect class="fill" x="0" y="0" width={percent ?? 30} height="4" rx="2" />
        </svg>
      </div>
    </div>
  );
}

/** A QR code as shapes, dark on light in every theme, so that every scanner reads it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const [code, setCode] = useState<{ readonly data: boolean[][]; readonly size: number }>();
  useEffect(() => {
    let isCurrent = true;
    // Loaded on demand, which keeps the page's first load small.
    void import("uqr").then(({ encode }) => isCurrent && setCode(encode(text, { border: 2 })), () => {});
    return () => isCurrent = false;
  }, [text]);
  if (code === undefined) return <div class="qr" />;
  const { data, size } = code;
  const path = data.flatMap((row, y) => row.map((dark, x) => dark ? `M${x} ${y}h1v1h-1z` : "")).join("");
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect class="qr-light" width={size} height={size} />
      <path class="qr-dark" d={path} />
    </svg>
  );
}

/** A value with a copy button. Never use it for a note or a seed. */
export function Copyable(
  { label, value, hint, onCopy }: {
    readonly label: string;
    readonly value: string;
    readonly hint?: string | undefined;
    readonly onCopy: (value: string) => Promise<boolean>;
  },
) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="copyable">
      <p class="label">{label}</p>
      {hint && <p class="hint">{hint}</p>}
      <div class="copy-row">
        <code>{value}</code>
        <button
          type="button"
          class="button quiet"
          aria-label={`${texts.app.copy}: ${label}`}
          onClick={() => void onCopy(value).then(setCopied)}
        >
          <span role="status">{copied ? texts.app.copied : texts.app.copy}</span>
        </button>
      </div>
    </div>
  );
}

export function Steps(
  { steps, current, label }: {
    readonly steps: readonly string[];
    readonly current: number;
    readonly label: string;
  },
) {
  return (
    <nav class="steps" aria-label={label}>
      <ol>
        {steps.map((step, i) => (
          <li key={step} class={i < current ? "past" : ""} aria-current={i === current ? "step" : undefined}>
            <span class="number" aria-hidden="true">{i < current ? "✓" : i + 1}</span>
            <span class="step-name">{step}</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function Facts(
  { facts }: { readonly facts: readonly (readonly [name: string, value: string, isCode?: boolean])[] },
) {
  return (
    <dl class="facts">
      {facts.map(([name, value, isCode]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isCode ? <code>{value}</code> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a new version of the app would change: its settings value by value, and its files by name. */
export function Changes({ changes }: { readonly changes: VersionChanges | undefined }) {
  const { versions, settings } = texts;
  if (changes === undefined) return null;
  const { files } = changes;
  const labels: Readonly<Record<string, string>> = {
    depositEndpoint: settings.depositEndpoint,
    withdrawalEndpoint: settings.withdrawalEndpoint,
    relayers: versions.relayers,
    connect: versions.connect,
    bridges: versions.bridges,
  };
  return (
    <>
      {changes.settings.length > 0 && (
        <>
          <dl class="facts changes">
            {changes.settings.map(({ name, removed, added }) => (
              <div key={name}>
                <dt>{labels[name] ?? name}</dt>
                <dd>
                  {removed.map((value) => (
                    <p key={value}>
                      {versions.removed} <code>{value}</code>
                    </p>
                  ))}
                  {added.map((value) => (
                    <p key={value}>
                      {versions.added} <code>{value}</code>
                    </p>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          <p>{versions.settingsLead}</p>
        </>
      )}
      <p>{files.length > 0 ? versions.filesLead : versions.sameFiles}</p>
      {files.length > 0 && (
        <details>
          <summary>{versions.files(files.length)}</summary>
          <ul>
            {files.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
