/**
 * Files that are read as a whole: regular ones, and pipes that a shell has opened for this process, as `<(...)` does; none
 * larger than its kind can be. Any other pipe would hold the program up for ever, and a device or a file of somebody
 * else's could fill its memory.
 */

/** Bytes of a file that holds a secret, at most: 24 words take some 200, and a passphrase may be long. */
export const LARGEST_SECRET = 65_536;
/** Bytes of a registry, at most: a pool takes some 700. */
export const LARGEST_REGISTRY = 16_000_000;

/** Why a file is not read. `message` goes on after "cannot be read: " and does not name the file. */
export class UnfitFile extends Error {}

/**
 * The bytes of a file.
 *
 * @param most bytes that it may have
 * @throws {UnfitFile} for what is no regular file, or is larger; what the system refuses, as it does
 */
export function readWhole(path: string | URL, most: number): Uint8Array<ArrayBuffer> {
  const size = isOpenPipe(path) ? 0 : assertRegular(path, most);
  using file = Deno.openSync(path);
  let bytes = new Uint8Array(size + 1); // one more, to see the end
  let filled = 0;
  for (let count: number | null; (count = file.readSync(bytes.subarray(filled))) !== null;) {
    filled += count;
    if (filled > most) throw tooLarge(`more than ${filled}`, most); // it has grown, or the system says no size
    if (filled === bytes.length) {
      const larger = new Uint8Array(Math.min(2 * bytes.length, most + 1));
      larger.set(bytes);
      bytes = larger;
    }
  }
  return bytes.subarray(0, filled);
}

/** Whether a path names a pipe by the descriptor that this process has of it: then somebody writes to it, or has. */
function isOpenPipe(path: string | URL): boolean {
  return /^\/(dev|proc\/self)\/fd\/\d+$/.test(String(path)) && Deno.statSync(path).isFifo === true;
}

/** The same as text. */
export function readWholeText(path: string | URL, most: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readWhole(path, most));
}

/**
 * Refuses before anything is opened: opening a pipe waits for whoever writes to it.
 *
 * @returns bytes that the file has
 * @throws as {@linkcode readWhole}
 */
export function assertRegular(path: string | URL, most = Infinity): number {
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) throw new UnfitFile("it is no regular file");
  if (size > most) throw tooLarge(String(size), most);
  return size;
}

/** `: ` and the reason, where there is one that may be shown: the system's own repeats the path, which may be a secret. */
export function reasonUnread(error: unknown): string {
  return error instanceof UnfitFile ? `: ${error.message}` : "";
}

function tooLarge(size: string, most: number): UnfitFile {
  return new UnfitFile(`it has ${size} bytes, more than ${most}`);
}
