/** What a setting is: one environment variable, how it is read, and what is said about it. Owns no value. */

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
  /** Its value is never printed, not even in an error. */
  readonly secret?: true;
}

/** A setting's value as it may be printed: never a secret, never the credentials in a URL. */
export function printable({ secret }: Setting<unknown>, value: string): string {
  return secret ? "[redacted]" : value.replace(/\/\/[^/@]*@/, "//[redacted]@");
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
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new Malformed("an http or https URL without user and password");
  }
  return value;
}
