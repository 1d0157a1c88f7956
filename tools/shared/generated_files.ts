/**
 * Writes generated files, or with `--check` compares them with the committed ones. All generators in `tools/` use it,
 * so that both modes cover the same files.
 */
const root = new URL("../../", import.meta.url);

/** A generated file: its path from the repository's root and its content. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/**
 * Writes `files`. With `check` writes nothing and exits with 1 if a committed file differs.
 *
 * @param task the name of the `deno task`, for messages
 */
export async function writeGenerated(task: string, files: readonly GeneratedFile[], check: boolean) {
  const stale = await staleFiles(files);
  if (check) {
    for (const path of stale) console.error(`${path} differs from what \`deno task ${task}\` generates`);
    if (stale.length > 0) Deno.exit(1);
  } else {
    // A file that is already right is not touched: another program may be reading it.
    for (const { path, content } of files.filter(({ path }) => stale.includes(path))) {
      const url = new URL(path, root);
      await Deno.mkdir(new URL("./", url), { recursive: true });
      await Deno.writeFile(url, bytesOf(content));
    }
  }
  console.log(`${task}: ${files.length} files ${check ? "are as generated" : "written"}`);
}

/** Returns the paths of files that are missing below `folder` or differ there. */
export async function staleFiles(files: readonly GeneratedFile[], folder: URL = root): Promise<string[]> {
  const stale: string[] = [];
  for (const { path, content } of files) {
    const found = await Deno.readFile(new URL(path, folder)).catch(() => undefined);
    if (found === undefined || !sameBytes(found, bytesOf(content))) stale.push(path);
  }
  return stale;
}

function bytesOf(content: GeneratedFile["content"]): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
