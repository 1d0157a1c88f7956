/** Reads regular files and pipes of a shell (`<(...)`): other pipes could block, devices fill the memory. */

/** 24 words take about 200 bytes; a passphrase may be long. */
export const MAX_SECRET_BYTES = 65_536;
/** A pool takes about 700 bytes. */
export const MAX_REGISTRY_BYTES = 16_000_000;

class UnreadableFileError extends Error {}

/** Throws {@linkcode UnreadableFileError} if the file is too large or not regular, and system errors. */
export function readBoundedFile(path: string | URL, maxBytes: number): Uint8Array<ArrayBuffer> {
  const size = isOpenPipe(path) ? 0 : assertRegularFile(path, maxBytes);
  using file = Deno.openSync(path);
  let bytes = new Uint8Array(size + 1); // one more byte, to detect the end
  let filled = 0;
  for (let count: number | null; (count = file.readSync(bytes.subarray(filled))) !== null;) {
    filled += count;
    if (filled > maxBytes) throw fileTooLargeError(`more than ${filled}`, maxBytes); // it grew, or the system reports no size
    if (filled === bytes.length) {
      const larger = new Uint8Array(Math.min(2 * bytes.length, maxBytes + 1));
      larger.set(bytes);
      bytes = larger;
    }
  }
  return bytes.subarray(0, filled);
}

/** Returns whether a path names a pipe that this process holds open: opening it does not block. */
function isOpenPipe(path: string | URL): boolean {
  return /^\/(dev|proc\/self)\/fd\/\d+$/.test(String(path)) && Deno.statSync(path).isFifo === true;
}

export function readBoundedTextFile(path: string | URL, maxBytes: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readBoundedFile(path, maxBytes));
}

/**
 * Decodes the text of a secret without a byte order mark. Replaces no bytes, as a lossy decoder does: two different
 * secrets would become one. Throws {@linkcode UnreadableFileError}.
 */
export function decodeSecretText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isMarkedUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarkedUtf16 || bytes.includes(0)) {
    throw new UnreadableFileError("it is UTF-16 or binary. Save it as UTF-8 text");
  }
  const text = decodeUtf8(bytes);
  if (text.startsWith("\ufeff")) { // invisible, so nobody could type the secret
    throw new UnreadableFileError(
      "it begins with two byte order marks. Save it as UTF-8 text with at most one",
    );
  }
  return text;
}

/** Removes one byte order mark. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFileError("it is not UTF-8 text. Save it as UTF-8 text");
  }
}

/** Does not open the file, which could block. Throws {@linkcode UnreadableFileError}. */
export function assertRegularFile(path: string | URL, maxBytes = Infinity): number {
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) throw new UnreadableFileError("it is not a regular file");
  if (size > maxBytes) throw fileTooLargeError(String(size), maxBytes);
  return size;
}

/** Returns no text for errors of the system, which repeat the path and perhaps a secret. */
export function formatReadFailure(error: unknown): string {
  return error instanceof UnreadableFileError ? `: ${error.message}` : "";
}

function fileTooLargeError(size: string, maxBytes: number): UnreadableFileError {
  return new UnreadableFileError(`it has ${size} bytes, more than ${maxBytes}`);
}

export async function fileExists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
