/// <reference lib="dom" />
/** Stores settings that are not secret in `localStorage`. The app works without them. */
import type { Preferences } from "../ports.ts";

const KEY = "tonado-preferences";

/** A value that could not be stored holds until the page closes. */
let unsaved: unknown;

export const browserPreferences: Preferences = {
  read() {
    if (unsaved !== undefined) return unsaved;
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? undefined;
    } catch { // access denied, or not JSON
      return undefined;
    }
  },
  write(value) {
    try {
      localStorage.setItem(KEY, JSON.stringify(value));
      unsaved = undefined;
    } catch { // denied or full
      unsaved = value;
    }
  },
  subscribe(listener) {
    addEventListener("storage", ({ key }) => {
      if (key === KEY || key === null) listener(); // null: everything was erased
    });
  },
};

export function forgetPreferences(): void {
  unsaved = undefined;
  try {
    localStorage.removeItem(KEY);
  } catch { /* denied: nothing was stored */ }
}
