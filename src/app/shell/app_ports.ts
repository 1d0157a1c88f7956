/** Everything that the screens need, built by start.tsx. */
import type { Signal } from "@preact/signals";
import type { AppPlace, CodeScanner, Passkeys, PayerSources, Tabs } from "../ports.ts";
import type { AppContext } from "../services/context.ts";
import type { AppConfig } from "../ports.ts";
import type { StoredSettings } from "./stored_settings.ts";

export interface AppPorts {
  readonly context: AppContext;
  readonly config: AppConfig;
  readonly place: AppPlace;
  readonly passkeys: Passkeys;
  readonly scanner: CodeScanner;
  readonly tabs: Tabs;
  readonly sources: PayerSources;
  readonly settings: StoredSettings;
  readonly route: Signal<string>; // the hash of the page's address, such as `#/deposit`
  go(route: string): void;
  /** Changes the page's address without a new entry in the browser's history. */
  replace(route: string): void;
}
