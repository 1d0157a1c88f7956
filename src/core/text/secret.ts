// Secrets that neither logs nor JSON show.

export const REDACTED = "[redacted]";

/**
 * Holds a secret that prints as `[redacted]`. Read it with {@linkcode Secret.reveal}.
 * @example
 * ```ts
 * const mnemonic = new Secret(words);
 * ```
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

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
