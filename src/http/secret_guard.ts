/** Finds note secrets in what a client sent, so that it is refused and never logged. Reads everything, keeps nothing. */

const MEMBERS = new Set(["note", "secret", "nullifier"]);
/** A note string, or the secret half of one. */
const NOTE = /tonado-[a-z0-9.-]{1,200}-0x[0-9a-f]{100,}|0x[0-9a-f]{124}(?![0-9a-f])/i;

/** Whether a parsed JSON value has a member that is named like a note's secrets, or holds a note string anywhere. */
export function carriesSecret(value: unknown): boolean {
  const open: unknown[] = [value]; // no recursion: a body may nest as deep as it is long
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string" && holdsNote(next)) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      if (MEMBERS.has(name.toLowerCase()) || holdsNote(name)) return true;
      open.push(inner);
    }
  }
  return false;
}

/** Whether a text holds a note string. */
export function holdsNote(text: string): boolean {
  return NOTE.test(text);
}
