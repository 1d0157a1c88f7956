/** JSON without duplicate keys: of two equal keys, one reader may use the first and another the last. */

export class DuplicateKeyError extends Error {
  constructor() {
    super("an object in it has two members of one name");
  }
}

export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (countColons(text) !== countMembers(value)) throw new DuplicateKeyError();
  return value;
}

function countColons(text: string): number {
  let count = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted && character === "\\") i++; // an escaped character does not end the string
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ":") count++;
  }
  return count;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + countMembers(each), own);
}
