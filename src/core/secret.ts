/** A value that must never reach a log, an error or a terminal by accident: it prints as `[redacted]`. */

/** What stands in a secret's place. */
export const REDACTED = "[redacted]";

/** Holds a secret; {@linkcode Secret.reveal} is the only way to read it. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The secret itself. Call it only where the value is used, never where it is passed on. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return REDACTED;
  }
}
