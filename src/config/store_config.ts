import type { Secret } from "../core/text/secret.ts";
import { serveSettings } from "./settings/serve_settings.ts";
import type { Environment } from "./settings/setting.ts";
import { SettingsReader } from "./settings/settings_reader.ts";

export interface StoreLocation {
  /** PostgreSQL; undefined: the embedded store in `dataDir`. */
  readonly databaseUrl?: Secret<string>;
  readonly dataDir: string;
}

export function loadStoreLocation(env: Environment, dataDir?: string): StoreLocation {
  if (dataDir !== undefined) return { dataDir };
  const reader = new SettingsReader(env);
  reader.checkAlias(serveSettings.databaseUrl);
  const location = {
    dataDir: reader.readDefaulted(serveSettings.dataDir),
    ...reader.readSecret("databaseUrl", serveSettings.databaseUrl),
  };
  reader.throwIfInvalid();
  return location;
}
