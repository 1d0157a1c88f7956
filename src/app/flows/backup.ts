/** The backup of the note store. It is proven once the user reads it back and it contains this store's seed. */
import { Problem } from "../../core/errors/problem.ts";
import type { Secret } from "../../core/text/secret.ts";
import type { Machine } from "./machine.ts";
import type { BackupProof } from "./settings.ts";

export type BackupKind = "file" | "paper";

export type BackupState =
  | { readonly step: "offer"; readonly problem?: Problem }
  | { readonly step: "making"; readonly kind: BackupKind }
  | { readonly step: "made"; readonly kind: BackupKind; readonly problem?: Problem }
  | {
    readonly step: "read";
    readonly kind: BackupKind;
    readonly content: Returned;
    readonly problem?: Problem;
  }
  | {
    readonly step: "verifying";
    readonly kind: BackupKind;
    readonly content: Returned;
    readonly passphrase: Secret<string>;
  }
  | { readonly step: "proven" };

export type Returned = { readonly bytes: Uint8Array } | { readonly code: string };

export type BackupEvent =
  | { readonly type: "make"; readonly kind: BackupKind }
  | { readonly type: "made" }
  | { readonly type: "returned"; readonly content: Returned }
  | { readonly type: "passphrase"; readonly passphrase: Secret<string> }
  | { readonly type: "verified"; readonly isOurs: boolean }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "back" };

export interface BackupServices {
  make(kind: BackupKind): Promise<void>;
  /** Opens a backup that was read back. Returns its proof, or undefined if it does not have this store's seed. */
  verify(content: Returned, passphrase: Secret<string>): Promise<BackupProof | undefined>;
  recordProof(proof: BackupProof): void;
}

export function backupMachine(services: BackupServices): Machine<BackupState, BackupEvent> {
  return {
    next: nextBackup,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
      if (state.step === "making") {
        return {
          [`make ${state.kind}`]: async (_signal, send) => {
            await services.make(state.kind);
            send({ type: "made" });
          },
        };
      }
      if (state.step !== "verifying") return {};
      return {
        verify: async (signal, send) => {
          const proof = await services.verify(state.content, state.passphrase);
          if (signal.aborted) return; // the store may be locked or erased by now
          if (proof) services.recordProof(proof);
          send({ type: "verified", isOurs: proof !== undefined });
        },
      };
    },
  };
}

export function nextBackup(state: BackupState, event: BackupEvent): BackupState {
  if (state.step === "proven") return state;
  if (event.type === "make" && state.step !== "making" && state.step !== "verifying") {
    return { step: "making", kind: event.kind };
  }
  switch (state.step) {
    case "offer":
      return state;
    case "making":
      if (event.type === "made") return { step: "made", kind: state.kind };
      return event.type === "failed" ? { step: "offer", problem: event.problem } : state;
    case "made":
      if (event.type === "returned") return { step: "read", kind: state.kind, content: event.content };
      if (event.type === "failed") return { ...state, problem: event.problem };
      return event.type === "back" ? { step: "offer" } : state;
    case "read":
      if (event.type === "passphrase") {
        return { step: "verifying", kind: state.kind, content: state.content, passphrase: event.passphrase };
      }
      return event.type === "back" ? { step: "made", kind: state.kind } : state;
    case "verifying":
      return nextVerifying(state, event);
  }
}

function nextVerifying(state: Extract<BackupState, { step: "verifying" }>, event: BackupEvent): BackupState {
  const { kind, content } = state;
  if (event.type === "verified") {
    if (event.isOurs) return { step: "proven" };
    return { step: "made", kind, problem: new Problem("wrong_backup") };
  }
  if (event.type === "failed") {
    const mayRetype = event.problem.code === "wrong_passphrase";
    return mayRetype
      ? { step: "read", kind, content, problem: event.problem }
      : { step: "made", kind, problem: event.problem };
  }
  return state;
}
