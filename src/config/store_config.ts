/** Which store the commands of `tonado store` work on: the one that `serve` would use, by the same settings. */
import { Problem } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { Environment } from "./config.ts";
import { given, Malformed } from "./setting.ts";
import { settings } from "./settings.ts";

/** Where a store is. */
export interface StoreLocation {
  /** PostgreSQL; undefined: the embedded store in `dataDir`. */
  readonly databaseUrl?: Secret<string>;
  readonly dataDir: string;
}

/**
 * Reads the location.
 *
 * @param dataDir overrides both settings: the embedded store there
 * @throws {Problem} `invalid_config`
 */
export function loadStoreLocation(env: Environment, dataDir?: string): StoreLocation {
  if (dataDir !== undefined) return { dataDir };
  const directory = given(settings.dataDir, env)?.value ?? settings.dataDir.default;
  const { name, alias, parse } = settings.databaseUrl;
  if (env[name] && env[alias] && env[name] !== env[alias]) {
    throw wrong(alias, `is set together with ${name}, to something else: set one of them`);
  }
  const url = given(settings.databaseUrl, env);
  if (url === undefined) return { dataDir: directory };
  try {
    return { dataDir: directory, databaseUrl: new Secret(parse(url.value)) };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw wrong(url.name, `its value is not ${error.message}`);
  }
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}
