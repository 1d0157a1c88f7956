/** What a setting is: one environment variable, how it is read, and what is said about it. Owns no value. */

import { REDACTED } from "../core/secret.ts";
import { isHttpUrl, shownUrl } from "../core/urls.ts";

/** A variable that is malformed. `message` says what is expected, after "is not", and never repeats the value. */
export class Malformed extends Error {}

/** One environment variable. */
export interface Setting<T> {
  /** Name of the variable. */
  readonly name: string;
  /** One line for `tonado config`. */
  readonly help: string;
  /** Text to typed value; throws {@link Malformed} with what is expected. */
  readonly parse: (text: string) => T;
  /** What is taken when the variable is unset or empty, as it would stand in the environment. Absent: no default. */
  readonly default?: string;
  /** Another name that is read when the first is unset. */
  readonly alias?: string;
  /** Its default does not hold on localnet, where nothing is scarce: a bound is 0 there unless it is set. */
  readonly offOnLocalnet?: true;
  /** Its value is never printed, not even in an error. */
  readonly secret?: true;
}

/** The variable that is set, the setting's own before its alias; an empty one counts as unset. */
export function given(
  { name, alias }: Setting<unknown>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  const found = [name, alias].find((each) => each !== undefined && env[each]);
  return found === undefined ? undefined : { name: found, value: env[found]! };
}

/**
 * A setting's value as it may be printed: never a secret, nor what may be one: a URL's credentials and query, and a
 * file's name with white space, which is rather the words that should be in the file.
 */
export function printable({ name, secret }: Setting<unknown>, value: string): string {
  if (secret || (name.endsWith("_FILE") && /\s/.test(value))) return REDACTED;
  return /:\/\/|^[^/\s]+:[^/\s]*@/.test(value) ? shownUrl(value) : value;
}

/** Any text. */
export function text(value: string): string {
  return value;
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[]): (value: string) => T {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new Malformed(`one of ${words.join(", ")}`);
    return word;
  };
}

/** A decimal integer from `min` to `max`. */
export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) throw new Malformed(`an integer from ${min} to ${max}`);
    return number;
  };
}

/** An http or https URL without credentials in it. */
export function httpUrl(value: string): string {
  if (!isHttpUrl(value)) throw new Malformed("an http or https URL without user and password");
  return value;
}

/** A redis or rediss URL. */
export function redisUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") {
    throw new Malformed("a redis or rediss URL, like redis://127.0.0.1:6379");
  }
  return value;
}

/** A secret of at least 16 characters that a header can carry. */
export function token(value: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) {
    throw new Malformed("16 or more printable characters without spaces");
  }
  return value;
}

/** How many proxies are trusted; the words that other programs use are read, too. */
export function proxies(value: string): number {
  const word = { false: "0", true: "1" }[value] ?? value;
  if (!/^(0|[1-9]|1[0-6])$/.test(word)) throw new Malformed("an integer from 0 to 16");
  return Number(word);
}

/** The URL of a PostgreSQL database. */
export function postgresUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Malformed("a URL like postgres://user:password@host:5432/database");
  }
  return value;
}
