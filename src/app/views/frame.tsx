/** The frame around every screen: name, network, menu, lock. And what replaces a screen that fails. */
import type { ComponentChildren } from "preact";
import type { Problem } from "../../core/errors/problem.ts";
import { Button, Notice, Step } from "./parts.tsx";
import { texts } from "../text/texts.ts";

export interface FrameProps {
  readonly network: string;
  readonly isOpen: boolean;
  readonly isOnline: boolean;
  /** The current item of the menu, if any. */
  readonly current?: "notes" | "report" | "settings" | undefined;
  /** Goes back; undefined on a top-level screen. */
  readonly onBack?: (() => void) | undefined;
  readonly onLock: () => void;
  readonly children: ComponentChildren;
}

const menu = { notes: "#/", report: "#/report", settings: "#/settings" } as const;

export function Frame({ network, isOpen, isOnline, current, onBack, onLock, children }: FrameProps) {
  const { app } = texts;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          (globalThis as unknown as { document: { querySelector(s: string): { focus(): void } | null } })
            .document.querySelector("main h1")?.focus();
        }}
      >
        {app.skip}
      </a>
      <header class="top">
        <div class="top-row">
          {onBack
            ? (
              <button type="button" class="icon-button" data-back onClick={onBack} aria-label={app.back}>
                <span aria-hidden="true">←</span>
              </button>
            )
            : null}
          <a class="name" href="#/">{app.name}</a>
          {network !== "mainnet" && <span class="chip">{network}</span>}
          {isOpen && <button type="button" class="button quiet lock" onClick={onLock}>{app.lock}</button>}
        </div>
        {isOpen && (
          <nav aria-label={app.name}>
            <ul class="menu">
              {(Object.keys(menu) as (keyof typeof menu)[]).map((item) => (
                <li key={item}>
                  <a href={menu[item]} aria-current={current === item ? "page" : undefined}>
                    {app.menu[item]}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </header>
      <main id="main">
        {!isOnline && <Notice kind="warning" live="polite" text={app.offline} />}
        {children}
      </main>
    </>
  );
}

export function FailedScreen(
  { problem, onReload, onSave, onDefaults }: {
    readonly problem: Problem;
    readonly onReload: () => void;
    /** Saves the encrypted notes, if there are any. */
    readonly onSave: (() => void) | undefined;
    readonly onDefaults: () => void;
  },
) {
  const { failed } = texts.app;
  return (
    <Step name="screen-failed" title={failed.title} problem={problem}>
      <Button kind="primary" onClick={onReload}>{failed.reload}</Button>
      {onSave && <Button onClick={onSave}>{failed.save}</Button>}
      <Button hint={["defaults-hint", failed.defaultsHint]} onClick={onDefaults}>{failed.defaults}</Button>
    </Step>
  );
}
