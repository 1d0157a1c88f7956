/** Location of the relayer's store, for `tonado store`: the same settings as `tonado serve` reads. */
import type { Secret } from "../core/text/secret.ts";
import { serveSettings } from "./serve_settings.ts";
import type { Environment } from "./setting.ts";
import { SettingsReader } from "./settings_reader.ts";

export interface StoreLocation {
  /** PostgreSQL; undefined: the embedded store in `dataDir`. */
  readonly databaseUrl?: Secret<string>;
  readonly dataDir: string;
}

/**
 * Returns the store's location. Throws `invalid_config`.
 *
 * @param dataDir selects the embedded store in this directory and overrides the settings
 */
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
