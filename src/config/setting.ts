import { REDACTED } from "../core/text/secret.ts";
import { isHttpUrl, redactUrl } from "../core/text/urls.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A malformed value. `message` completes "is not ..." with what is expected, and never repeats the value. */
export class MalformedSettingError extends Error {}

export interface Setting<T> {
  readonly name: string;
  /** One line for `tonado config`. */
  readonly help: string;
  /** Parses the text. Throws {@link MalformedSettingError}. */
  readonly parse: (text: string) => T;
  /** Used if the variable is unset or empty. */
  readonly default?: string;
  /** Read if `name` is unset. */
  readonly alias?: string;
  /** On localnet the default is 0 (no limit) instead of `default`. */
  readonly offOnLocalnet?: true;
  /** The value is never printed. */
  readonly secret?: true;
}

/** Returns the variable that is set, `name` before `alias`. An empty variable counts as unset. */
export function findVariable(
  { name, alias }: Setting<unknown>,
  env: Environment,
): { readonly name: string; readonly value: string } | undefined {
  const found = [name, alias].find((each) => each !== undefined && env[each]);
  return found === undefined ? undefined : { name: found, value: env[found]! };
}

/**
 * Returns a value for printing. Redacts secrets, credentials and queries of URLs, and file names with white
 * space, which are probably the mnemonic itself.
 */
export function redactValue({ name, secret }: Setting<unknown>, value: string): string {
  if (secret || (name.endsWith("_FILE") && /\s/.test(value))) return REDACTED;
  return /:\/\/|^[^/\s]+:[^/\s]*@/.test(value) ? redactUrl(value) : value;
}

export function anyText(value: string): string {
  return value;
}

export function oneOf<const T extends string>(words: readonly T[]): (value: string) => T {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new MalformedSettingError(`one of ${words.join(", ")}`);
    return word;
  };
}

/** A decimal integer from `min` to `max`. */
export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) {
      throw new MalformedSettingError(`an integer from ${min} to ${max}`);
    }
    return number;
  };
}

/** An http or https URL without credentials in it. */
export function httpUrl(value: string): string {
  if (!isHttpUrl(value)) throw new MalformedSettingError("an http or https URL without user and password");
  return value;
}

export function redisUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") {
    throw new MalformedSettingError("a redis or rediss URL, like redis://127.0.0.1:6379");
  }
  return value;
}

/** A secret of at least 16 characters that a header can carry. */
export function bearerToken(value: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) {
    throw new MalformedSettingError("16 or more printable characters without spaces");
  }
  return value;
}

/** Number of trusted proxies; `true` and `false` are accepted as other programs do. */
export function proxyCount(value: string): number {
  const word = { false: "0", true: "1" }[value] ?? value;
  if (!/^(0|[1-9]|1[0-6])$/.test(word)) throw new MalformedSettingError("an integer from 0 to 16");
  return Number(word);
}

export function postgresUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new MalformedSettingError("a URL like postgres://user:password@host:5432/database");
  }
  return value;
}
