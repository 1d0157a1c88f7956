/** Restores a backup file, a seed or a single note. It removes and replaces nothing in the store. */
import { Problem } from "../../core/errors/problem.ts";
import { findPaperCodes, isEncryptedPaperCode } from "../../client/notes/paper/paper_code_text.ts";
import { splitAgeFiles } from "../../client/notes/store/age_files.ts";
import { Secret } from "../../core/text/secret.ts";
import type { Machine } from "./machine.ts";
import type { BackupProof } from "./settings.ts";

interface TypedText {
  readonly kind: "text";
  readonly text: Secret<string>;
}

export type Restorable =
  | { readonly kind: "file"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "code"; readonly code: string }
  | TypedText;

export interface Restored {
  readonly added: number;
  readonly known: number;
  readonly otherNetwork: number; // added notes of a network other than the app's
  readonly proof?: BackupProof; // if the source has a seed: it is a backup that was just opened
}

interface Chosen {
  readonly source: Restorable;
  /** Whether this browser gets a store with a new passphrase: it has none, and the source is not encrypted. */
  readonly isNew: boolean;
}

export type RestoreState =
  /** `text`: the mistyped code, which the user corrects. */
  | { readonly step: "choose"; readonly problem?: Problem; readonly text?: Secret<string> }
  | { readonly step: "checking"; readonly source: TypedText; readonly isNew: boolean }
  | Chosen & { readonly step: "passphrase"; readonly problem?: Problem }
  /** `isRequired`: the device lacks memory for a chosen passphrase. */
  | Chosen & { readonly step: "drawing"; readonly isRequired: boolean }
  | Chosen & { readonly step: "drawn"; readonly passphrase: Secret<string>; readonly isRequired: boolean }
  | Chosen & { readonly step: "opening"; readonly passphrase: Secret<string> }
  | { readonly step: "done"; readonly restored: Restored };

export type RestoreEvent =
  | Chosen & { readonly type: "chosen" }
  | { readonly type: "checked" }
  | { readonly type: "draw" }
  | { readonly type: "drawn"; readonly passphrase: Secret<string> }
  | { readonly type: "passphrase"; readonly passphrase: Secret<string> }
  | { readonly type: "restored"; readonly restored: Restored }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "back" };

/** Tells an encrypted paper code from a recovery code or a note, in text that was typed or scanned. */
export function restorableText(text: string): Restorable {
  const [code] = findPaperCodes(text);
  return code !== undefined && isEncryptedPaperCode(code)
    ? { kind: "code", code }
    : { kind: "text", text: new Secret(text) };
}

/** Throws `invalid_request` for a file of another kind, or one that is incomplete. */
export function restorableFile(file: { readonly name: string; readonly bytes: Uint8Array }): Restorable {
  try {
    splitAgeFiles(file.bytes);
  } catch (cause) {
    throw new Problem("invalid_request", `${file.name} is not a backup`, { cause });
  }
  return { kind: "file", ...file };
}

export interface RestoreServices {
  /** Throws `invalid_seed` or `invalid_note` for text that is mistyped. */
  check(text: Secret<string>): Promise<void>;
  /** Adds the source's content to the store, or creates one with the file's passphrase, else `passphrase`. */
  restore(source: Restorable, passphrase: Secret<string>): Promise<Restored>;
  draw(): Promise<Secret<string>>;
}

export function restoreMachine(services: RestoreServices): Machine<RestoreState, RestoreEvent> {
  return {
    next: nextRestore,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
      if (state.step === "drawing") {
        return {
          draw: async (_signal, send) => send({ type: "drawn", passphrase: await services.draw() }),
        };
      }
      if (state.step === "checking") {
        return {
          check: async (_signal, send) => {
            await services.check(state.source.text);
            send({ type: "checked" });
          },
        };
      }
      if (state.step !== "opening") return {};
      return {
        restore: async (_signal, send) =>
          send({ type: "restored", restored: await services.restore(state.source, state.passphrase) }),
      };
    },
  };
}

export function nextRestore(state: RestoreState, event: RestoreEvent): RestoreState {
  switch (state.step) {
    case "choose":
      if (event.type === "chosen") return beginCheck(event);
      return event.type === "failed" ? { ...state, problem: event.problem } : state;
    case "checking":
      if (event.type === "checked") return askPassphrase(state);
      return event.type === "failed" ? { ...chooseAgain(state), problem: event.problem } : state;
    case "passphrase":
    case "drawing":
    case "drawn":
      return nextPassphrase(state, event);
    case "opening": {
      const { source, isNew } = state;
      if (event.type === "restored") return { step: "done", restored: event.restored };
      if (event.type !== "failed") return state;
      const { problem } = event;
      if (problem.code === "wrong_passphrase") return { step: "passphrase", source, isNew, problem };
      // Less memory makes each guess cheaper, so drawn words replace a chosen passphrase.
      if (problem.code === "out_of_memory" && isNew) {
        return { step: "drawing", source, isNew, isRequired: true };
      }
      return { ...chooseAgain(state), problem };
    }
    case "done":
      return state;
  }
}

/** Checks a typed code before the user chooses a passphrase for it. */
function beginCheck({ source, isNew }: Chosen): RestoreState {
  return source.kind === "text" ? { step: "checking", source, isNew } : askPassphrase({ source, isNew });
}

function chooseAgain({ source }: Chosen): Extract<RestoreState, { step: "choose" }> {
  return { step: "choose", ...source.kind === "text" && { text: source.text } };
}

/** A code that is added to an open store needs no passphrase. */
function askPassphrase({ source, isNew }: Chosen): RestoreState {
  return source.kind === "text" && !isNew
    ? { step: "opening", source, isNew, passphrase: new Secret("") }
    : { step: "passphrase", source, isNew };
}

function nextPassphrase(
  state: Extract<RestoreState, { step: "passphrase" | "drawing" | "drawn" }>,
  event: RestoreEvent,
): RestoreState {
  const { source, isNew } = state;
  const isRequired = state.step !== "passphrase" && state.isRequired;
  switch (event.type) {
    case "chosen":
      return beginCheck(event);
    case "passphrase":
      return { step: "opening", source, isNew, passphrase: event.passphrase };
    case "draw":
      return isNew ? { step: "drawing", source, isNew, isRequired } : state;
    case "drawn":
      return state.step === "drawing" ? { ...state, step: "drawn", passphrase: event.passphrase } : state;
    case "failed":
      return { ...chooseAgain(state), problem: event.problem };
    case "back":
      return state.step === "passphrase" ? chooseAgain(state) : askPassphrase(state);
    default:
      return state;
  }
}
