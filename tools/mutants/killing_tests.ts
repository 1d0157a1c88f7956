/** Digests of the tests that killed mutants, so that a kill is confirmed again after its test has changed. */
import { sourceDigest } from "./results.ts";
import { declarationAt } from "./tolk_text.ts";

export class KillingTests {
  readonly #sources = new Map<string, string | undefined>();
  readonly #digests = new Map<string, string | undefined>();

  constructor(readonly root: URL) {}

  /**
   * Returns the digest of a test, or undefined if it does not exist.
   *
   * @param by `file: name of the test`, with the file's path from the root
   */
  digestOf(by: string): string | undefined {
    if (!this.#digests.has(by)) {
      const [path, name] = by.split(/: (.*)/s);
      const source = this.#sourceOf(path);
      this.#digests.set(by, source && testDigest(source, name));
    }
    return this.#digests.get(by);
  }

  #sourceOf(path: string): string | undefined {
    if (!this.#sources.has(path)) {
      try {
        this.#sources.set(path, Deno.readTextFileSync(new URL(path, this.root)));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        this.#sources.set(path, undefined);
      }
    }
    return this.#sources.get(path);
  }
}

/**
 * Returns the digest of the statement that declares a test, without comments, or undefined if there is none. The
 * statement may be a loop that declares several tests, with a template as their name.
 */
export function testDigest(source: string, name: string): string | undefined {
  for (const { index, 0: literal } of source.matchAll(/"(?:[^"\\\n]|\\.)+"|`(?:[^`\\\n]|\\.)+`/g)) {
    if (patternOf(literal).test(name)) return sourceDigest(declarationAt(source, index));
  }
}

/** Returns a pattern of the texts that a string or template stands for. Its expressions stand for any text. */
function patternOf(literal: string): RegExp {
  const parts = literal.slice(1, -1).split(/\$\{[^}]*\}/);
  const text = parts.map((part) => part.replace(/\\(.)/g, "$1").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(
    ".+",
  );
  return new RegExp(`^${text}$`, "s");
}
