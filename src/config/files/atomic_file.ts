/** Replaces files in one step: a crash leaves the old content or the new one, never a part of it. */
import { dirname, isAbsolute } from "node:path";
import { assertRegularFile } from "./bounded_file.ts";

/** The runtime copies what it writes on the calling thread. */
const CHUNK_BYTES = 2 ** 20;
/** Linux follows as many links of a path. */
const MAX_LINKS = 40;

interface NewFileModes {
  /** Of a new file; default: the system's. A file that is replaced keeps its mode. */
  readonly mode?: number;
  /** Of new folders; default: the system's. */
  readonly folderMode?: number;
}

/**
 * Replaces the file that a path names, or creates it with its folders. Follows symbolic links, which a synced folder
 * needs, and keeps the file's mode. Throws system errors, and an error if the path names something else than a file.
 */
export async function replaceFile(
  path: string,
  content: Uint8Array,
  modes: NewFileModes = {},
): Promise<void> {
  const target = await followLinks(path);
  await createFolderOf(target, modes.folderMode);
  const mode = await modeOf(target);
  await writeAtomically(target, content, { mode: mode ?? modes.mode, keepsMode: mode !== undefined });
}

/** Creates the folder of a path. Throws system errors. */
export async function createFolderOf(path: string, mode?: number): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true, mode });
}

/** Returns the path of the file, which may not exist, after all links of its name. Throws if they form a loop. */
export async function followLinks(path: string): Promise<string> {
  let target = path;
  for (let links = 0; await isLink(target); links++) {
    if (links === MAX_LINKS) throw new Error("it has too many levels of symbolic links");
    const next = await Deno.readLink(target);
    target = isAbsolute(next) ? next : `${dirname(target)}/${next}`; // `..` after a link to a folder: not joined
  }
  return target;
}

/** Returns whether a symbolic link has this name, even if it leads to nothing. */
async function isLink(path: string): Promise<boolean> {
  return (await statIfPresent(Deno.lstat, path))?.isSymlink ?? false;
}

/**
 * Writes a file under another name and renames it, so a link of this name is replaced, not followed.
 * @param options `keepsMode`: sets `mode` exactly, although the system would withhold some of it from a new file
 */
export async function writeAtomically(
  path: string,
  content: Uint8Array,
  { mode, keepsMode = false }: { readonly mode?: number | undefined; readonly keepsMode?: boolean } = {},
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    {
      using file = await Deno.open(draft, { write: true, createNew: true, mode });
      await writeAll(file, content);
      await file.sync();
    }
    if (keepsMode && mode !== undefined) await Deno.chmod(draft, mode);
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
  await syncFolderOf(path);
}

export async function writeAll(file: Deno.FsFile, content: Uint8Array): Promise<void> {
  for (let rest = content; rest.length > 0;) {
    rest = rest.subarray(await file.write(rest.subarray(0, CHUNK_BYTES)));
  }
}

/** A new name is on the disk only once its folder is synced (rename(2)). */
async function syncFolderOf(path: string): Promise<void> {
  try {
    const folder = await Deno.open(dirname(path), { read: true });
    await folder.sync().finally(() => folder.close());
  } catch {
    // Windows cannot sync folders, and does not need it.
  }
}

/** Returns the mode of an existing file; undefined on Windows. Throws if it is not a regular file. */
async function modeOf(path: string): Promise<number | undefined> {
  const found = await statIfPresent(Deno.stat, path);
  if (found === undefined) return undefined;
  assertRegularFile(path);
  return found.mode === null ? undefined : found.mode & 0o777;
}

async function statIfPresent(
  stat: (path: string) => Promise<Deno.FileInfo>,
  path: string,
): Promise<Deno.FileInfo | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
