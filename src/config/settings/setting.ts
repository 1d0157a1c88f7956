import { REDACTED } from "../../core/text/secret.ts";
import { isHeaderValue, isHttpUrl, otherApiVersion, redactUrl } from "../../core/text/urls.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `message` completes "is not ..." with what is expected, and never repeats the value. */
export class MalformedSettingError extends Error {}

export interface Setting<T> {
  readonly name: string;
  readonly help: string;
  readonly parse: (text: string) => T;
  readonly default?: string;
  readonly alias?: string;
  readonly offOnLocalnet?: true; // on localnet the default is 0 (no limit)
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

/** Redacts secrets and URL credentials, and file names with white space, which are probably mnemonics. */
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

export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) {
      throw new MalformedSettingError(`an integer from ${min} to ${max}`);
    }
    return number;
  };
}

export function httpUrl(value: string): string {
  if (!isHttpUrl(value)) throw new MalformedSettingError("an http or https URL without user and password");
  return value;
}

export function endpointUrl(value: string): string {
  const version = otherApiVersion(httpUrl(value));
  if (version !== undefined) {
    throw new MalformedSettingError(
      `an endpoint of toncenter's API v2: it is one of API ${version}. The path of API v2 is /api/v2/jsonRPC`,
    );
  }
  return value;
}

export function apiKey(value: string): string {
  const key = value.trim();
  if (!isHeaderValue(key)) {
    throw new MalformedSettingError(
      "a key that an HTTP header can carry: it has a control or non-Latin character",
    );
  }
  return key;
}

export function redisUrl(value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "") {
    throw new MalformedSettingError("a redis or rediss URL, like redis://127.0.0.1:6379");
  }
  return value;
}

/** At least 16 characters that a header can carry. */
export function bearerToken(value: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) {
    throw new MalformedSettingError("16 or more printable characters without spaces");
  }
  return value;
}

/** Also accepts `true` and `false`, as other programs do. */
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
