/** The settings that this tab shows. Other tabs write the same storage, so each change starts from its content. */
import { signal } from "@preact/signals";
import { addProof, type BackupProof, parseSettings, type Settings } from "../flows/settings.ts";
import type { Preferences } from "../ports.ts";

export interface StoredSettings {
  /** A signal's value: components that read it follow its changes. */
  readonly value: Settings;
  change(change: Partial<Settings>): void;
  addProof(proof: BackupProof): void;
  /** Restores the defaults. Which backups were read back stays known. */
  reset(): void;
  /** Reads the storage again, after its content was erased. */
  reload(): void;
}

export function openSettings(preferences: Preferences): StoredSettings {
  const read = () => parseSettings(preferences.read());
  const shown = signal(read());
  const reload = () => void (shown.value = read());
  const write = (settings: Settings) => {
    shown.value = settings;
    preferences.write(settings);
  };
  const change = (change: Partial<Settings>) => write({ ...read(), ...change });
  preferences.subscribe(reload);
  return {
    get value() {
      return shown.value;
    },
    change,
    addProof: (proof) => change(addProof(read(), proof)),
    reset() {
      const { provenSeed, provenNotes } = read();
      write(parseSettings({ provenSeed, provenNotes }));
    },
    reload,
  };
}
