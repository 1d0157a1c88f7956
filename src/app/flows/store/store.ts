/** The note store of this browser: created, opened, locked. Work and secrets end when it is locked. */
import type { Problem } from "../../../core/errors/problem.ts";
import { composePassphrase, isEnterable } from "../../../core/text/passphrase.ts";
import type { Secret } from "../../../core/text/secret.ts";
import type { PlaceFault } from "../../ports.ts";
import type { Machine, Work } from "../machine.ts";

export type StoreState<Session> =
  | { readonly step: "searching" }
  /** Notes are not safe in this page. */
  | { readonly step: "refused"; readonly fault: PlaceFault }
  | { readonly step: "absent" }
  | { readonly step: "new"; readonly problem?: Problem }
  | { readonly step: "drawing"; readonly isRequired: boolean }
  /** Drawn words for the user to write down. `isRequired`: the device lacks memory for a chosen passphrase. */
  | { readonly step: "drawn"; readonly passphrase: Secret<string>; readonly isRequired: boolean }
  | { readonly step: "creating"; readonly passphrase: Secret<string> }
  | (Lock & { readonly step: "locked"; readonly problem?: Problem })
  | (Lock & { readonly step: "opening"; readonly passphrase: Secret<string> | "passkey" })
  | { readonly step: "open"; readonly session: Session }
  | { readonly step: "failed"; readonly problem: Problem };

interface Lock {
  /** It is looked up after each visit, which may have added or removed one. */
  readonly hasPasskey?: boolean | undefined;
  /** Whether another tab has stored the notes with another key, perhaps of another passphrase. */
  readonly isReplaced?: boolean;
}

export type StoreEvent<Session> =
  | { readonly type: "found"; readonly hasPasskey: boolean }
  | { readonly type: "not_found" }
  | { readonly type: "refused"; readonly fault: PlaceFault }
  | { readonly type: "create" }
  | { readonly type: "draw" }
  | { readonly type: "drawn"; readonly passphrase: Secret<string> }
  | { readonly type: "passphrase"; readonly passphrase: Secret<string> }
  | { readonly type: "passkey" }
  | { readonly type: "opened"; readonly session: Session }
  | { readonly type: "lock" }
  | { readonly type: "replaced" }
  | { readonly type: "erased" }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "back" }
  | { readonly type: "retry" };

export interface StoreServices<Session> {
  findStore(): Promise<StoreEvent<Session> & { type: "found" | "not_found" | "refused" }>;
  draw(): Promise<Secret<string>>;
  /** Throws `note_store_in_use`, or `out_of_memory` if the memory suffices only for a drawn passphrase. */
  create(passphrase: Secret<string>): Promise<Session>;
  open(passphrase: Secret<string> | "passkey"): Promise<Session>;
  /** Deletes the key of a session. Called once for each session that was created or opened. */
  close(session: Session): void;
  /** Resolves if another tab has stored the notes with another key. */
  whenReplaced(session: Session): Promise<void>;
}

export function storeMachine<Session>(
  services: StoreServices<Session>,
): Machine<StoreState<Session>, StoreEvent<Session>> {
  /** Closes a session that arrives after its state has ended, as scrypt cannot be aborted. */
  const openSession = (open: () => Promise<Session>): Work<StoreEvent<Session>> => async (signal, send) => {
    const session = await open();
    if (signal.aborted) services.close(session);
    else send({ type: "opened", session });
  };
  return {
    next: nextStore,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
      switch (state.step) {
        case "searching":
          return { find: async (_signal, send) => send(await services.findStore()) };
        case "locked":
          return state.hasPasskey === undefined
            ? { find: async (_signal, send) => send(await services.findStore()) }
            : {};
        case "drawing":
          return {
            draw: async (_signal, send) => send({ type: "drawn", passphrase: await services.draw() }),
          };
        case "creating":
          return { create: openSession(() => services.create(state.passphrase)) };
        case "opening":
          return { open: openSession(() => services.open(state.passphrase)) };
        case "open":
          return {
            /** Keeps the session until the state ends, for whatever reason. */
            hold(signal) {
              signal.addEventListener("abort", () => services.close(state.session));
              return Promise.resolve();
            },
            async watch(_signal, send) {
              await services.whenReplaced(state.session);
              send({ type: "replaced" });
            },
          };
        default:
          return {};
      }
    },
  };
}

export function nextStore<Session>(
  state: StoreState<Session>,
  event: StoreEvent<Session>,
): StoreState<Session> {
  if (event.type === "erased" && state.step !== "refused") return { step: "absent" };
  switch (state.step) {
    case "searching":
      return nextLooking(state, event);
    case "refused":
      return state;
    case "absent":
      if (event.type === "create") return { step: "new" };
      // A restored backup opens directly, because its passphrase was just typed.
      return event.type === "opened" ? { step: "open", session: event.session } : state;
    case "new":
    case "drawing":
    case "drawn":
    case "creating":
      return nextNew(state, event);
    case "locked":
      if (event.type === "passphrase" || event.type === "passkey") {
        const passphrase = event.type === "passkey" ? "passkey" : event.passphrase;
        return { ...lockOf(state), step: "opening", passphrase };
      }
      if (event.type === "lock" && state.isReplaced) return { step: "locked", hasPasskey: state.hasPasskey };
      if (event.type === "found") return { ...state, hasPasskey: event.hasPasskey };
      if (event.type === "failed") return { ...state, problem: event.problem };
      return event.type === "opened" ? { step: "open", session: event.session } : state;
    case "opening": {
      const lock = lockOf(state);
      if (event.type === "opened") return { step: "open", session: event.session };
      if (event.type === "lock" || event.type === "back") return { ...lock, step: "locked" };
      return event.type === "failed" ? { ...lock, step: "locked", problem: event.problem } : state;
    }
    case "open":
      if (event.type === "replaced") return { step: "locked", isReplaced: true };
      return event.type === "lock" ? { step: "locked" } : state;
    case "failed":
      return event.type === "retry" ? { step: "searching" } : state;
  }
}

const lockOf = ({ hasPasskey, isReplaced }: Lock): Lock => ({ hasPasskey, ...isReplaced && { isReplaced } });

type NewState<Session> = Extract<StoreState<Session>, { step: "new" | "drawing" | "drawn" | "creating" }>;

function nextNew<Session>(state: NewState<Session>, event: StoreEvent<Session>): StoreState<Session> {
  switch (state.step) {
    case "new":
      if (event.type === "passphrase") return { step: "creating", passphrase: event.passphrase };
      if (event.type === "draw") return { step: "drawing", isRequired: false };
      return event.type === "back" ? { step: "absent" } : state;
    case "drawing":
      if (event.type === "drawn") return { ...state, step: "drawn", passphrase: event.passphrase };
      return event.type === "failed" ? { step: "new", problem: event.problem } : state;
    case "drawn":
      if (event.type === "draw") return { step: "drawing", isRequired: state.isRequired };
      if (event.type === "back") return { step: "new" };
      return event.type === "passphrase" ? { step: "creating", passphrase: event.passphrase } : state;
    case "creating":
      if (event.type === "opened") return { step: "open", session: event.session };
      if (event.type !== "failed") return state;
      // Another tab created a store first; open that one.
      if (event.problem.code === "note_store_in_use") return { step: "searching" };
      // Less memory makes each guess cheaper, so drawn words replace a chosen passphrase.
      return event.problem.code === "out_of_memory"
        ? { step: "drawing", isRequired: true }
        : { step: "new", problem: event.problem };
  }
}

function nextLooking<Session>(state: StoreState<Session>, event: StoreEvent<Session>): StoreState<Session> {
  switch (event.type) {
    case "found":
      return { step: "locked", hasPasskey: event.hasPasskey };
    case "not_found":
      return { step: "absent" };
    case "refused":
      return { step: "refused", fault: event.fault };
    case "failed":
      return { step: "failed", problem: event.problem };
    default:
      return state;
  }
}

export const MIN_PASSPHRASE_LENGTH = 12;

/** What guessing programs try first, in English and Russian. It does not count as part of a passphrase. */
const COMMON_PARTS =
  /passwor[dt]|passphrase|qwert[yz]|uiop|asdf|ghjkl|zxcv|letmein|iloveyou|welcome|admin|tonado|toncoin|wallet|bitcoin|crypto|пароль|йцукен|фыва|abcd|0?12345?6?7?8?9?0?|0?9876?5?4?3?2?1?|(?:19|20)\d\d/giu;
const MIN_OTHER_CHARACTERS = 6;

export type PassphraseFault = "too_short" | "not_enterable" | "repetitive" | "guessable" | "differs";

export function findPassphraseFault(first: string, second: string): PassphraseFault | undefined {
  const [passphrase, repeated] = [first, second].map(composePassphrase);
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) return "too_short";
  if (!isEnterable(passphrase)) return "not_enterable";
  if (new Set(passphrase).size < 5) return "repetitive";
  if (passphrase.replaceAll(COMMON_PARTS, "").length < MIN_OTHER_CHARACTERS) return "guessable";
  return passphrase === repeated ? undefined : "differs";
}
