/**
 * JSON for documents that people read and programs verify: of two members of one name a parser takes the last, and a
 * reader may believe the first.
 */

/** An object has two members of one name. */
export class DoubledMember extends Error {
  constructor() {
    super("an object in it has two members of one name");
  }
}

/**
 * The value of a JSON text, in whatever form it is written.
 *
 * @throws {SyntaxError} for what is not JSON, {@linkcode DoubledMember}
 */
export function parseUnique(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (colonsIn(text) !== membersOf(value)) throw new DoubledMember();
  return value;
}

/** Those outside strings: in valid JSON one a member. */
function colonsIn(text: string): number {
  let count = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted && character === "\\") i++; // whatever it escapes ends no string
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ":") count++;
  }
  return count;
}

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + membersOf(each), own);
}
