/** Restores a backup file, a seed or a single note. It removes and replaces nothing in the store. */
import type { Problem } from "../../core/errors/problem.ts";
import type { Secret } from "../../core/text/secret.ts";
import type { Machine } from "./machine.ts";
import type { BackupProof } from "./settings.ts";

export type Restorable =
  | { readonly kind: "file"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "text"; readonly text: Secret<string> };

export interface Restored {
  readonly added: number;
  readonly known: number;
  readonly otherNetwork: number; // added notes of a network other than the app's
  readonly proof?: BackupProof; // if the source has a seed: it is a backup that was just opened
}

export type RestoreState =
  | { readonly step: "choose"; readonly problem?: Problem }
  | { readonly step: "passphrase"; readonly source: Restorable; readonly problem?: Problem }
  | { readonly step: "opening"; readonly source: Restorable; readonly passphrase: Secret<string> }
  | { readonly step: "done"; readonly restored: Restored };

export type RestoreEvent =
  | { readonly type: "chosen"; readonly source: Restorable }
  | { readonly type: "passphrase"; readonly passphrase: Secret<string> }
  | { readonly type: "restored"; readonly restored: Restored }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "back" };

export interface RestoreServices {
  /** Adds the source's content to the store, or creates one with the file's passphrase, else `passphrase`. */
  restore(source: Restorable, passphrase: Secret<string>): Promise<Restored>;
}

export function restoreMachine(services: RestoreServices): Machine<RestoreState, RestoreEvent> {
  return {
    next: nextRestore,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
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
      if (event.type === "chosen") return { step: "passphrase", source: event.source };
      return event.type === "failed" ? { step: "choose", problem: event.problem } : state;
    case "passphrase":
      if (event.type === "passphrase") {
        return { step: "opening", source: state.source, passphrase: event.passphrase };
      }
      if (event.type === "chosen") return { step: "passphrase", source: event.source };
      return event.type === "back" ? { step: "choose" } : state;
    case "opening":
      if (event.type === "restored") return { step: "done", restored: event.restored };
      if (event.type !== "failed") return state;
      return event.problem.code === "wrong_passphrase"
        ? { step: "passphrase", source: state.source, problem: event.problem }
        : { step: "choose", problem: event.problem };
    case "done":
      return state;
  }
}
