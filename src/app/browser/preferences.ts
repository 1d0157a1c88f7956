/// <reference lib="dom" />
/** Stores settings that are not secret in `localStorage`. The app works without them. */
import type { Preferences } from "../ports.ts";

const KEY = "tonado-preferences";

export const browserPreferences: Preferences = {
  read() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? undefined;
    } catch { // access denied, or not JSON
      return undefined;
    }
  },
  write(value) {
    try {
      localStorage.setItem(KEY, JSON.stringify(value));
    } catch { /* denied or full: the choice holds until the page closes */ }
  },
};

export function forgetPreferences(): void {
  try {
    localStorage.removeItem(KEY);
  } catch { /* denied: nothing was stored */ }
}
