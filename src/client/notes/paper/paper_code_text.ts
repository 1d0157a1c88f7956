/** Finds the codes of paper backups in text. Separate from their encryption, which a page loads only in a worker. */

export const ENCRYPTED_PREFIX = "tonado-age:";
const PAPER_CODE_PATTERN =
  /tonado-age:[A-Za-z0-9+/]+={0,2}|tonado2?-[a-z0-9]+-[0-9.]+-[a-z]+-0x[0-9a-f]{124}(?![0-9a-f])/g;

/**
 * Returns the paper codes and plain notes in a text, each once.
 * @param text any text, such as that of scanned QR codes
 * @example
 * ```ts
 * for (const code of findPaperCodes(text)) console.log(code);
 * ```
 */
export function findPaperCodes(text: string): string[] {
  return [...new Set(text.match(PAPER_CODE_PATTERN))];
}

export function isEncryptedPaperCode(code: string): boolean {
  return code.startsWith(ENCRYPTED_PREFIX);
}
