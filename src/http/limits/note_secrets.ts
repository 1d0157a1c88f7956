/** Detects note secrets in client input, so that it is rejected and never logged. */

const SECRET_MEMBERS = new Set(["note", "secret", "nullifier"]);
const NOTE_PATTERN = /tonado2?-[a-z0-9.-]{1,200}-0x[0-9a-f]{100,}|0x[0-9a-f]{124}(?![0-9a-f])/i;

export function containsNoteSecret(value: unknown): boolean {
  const open: unknown[] = [value]; // no recursion: nesting depth is limited only by body size
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string" && containsNoteString(next)) return true;
    if (typeof next !== "object" || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      if (SECRET_MEMBERS.has(name.toLowerCase()) || containsNoteString(name)) return true;
      open.push(inner);
    }
  }
  return false;
}

export function containsNoteString(text: string): boolean {
  return NOTE_PATTERN.test(text);
}
