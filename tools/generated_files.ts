/**
 * Writes generated files, or with `--check` compares them with what is committed. Every generator in `tools/` goes
 * through here, so "regenerate" and "check" can never differ in what they cover.
 */
const root = new URL("../", import.meta.url);

/** A generated file: path from the repository's root, and its whole content. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/**
 * Writes `files`; with `check` writes nothing and ends the process with 1 if one differs from what is committed.
 *
 * @param task the `deno task` that writes them, named in what is printed
 */
export async function writeGenerated(task: string, files: readonly GeneratedFile[], check: boolean) {
  if (check) {
    const stale = await staleFiles(files);
    for (const path of stale) console.error(`${path} differs from what \`deno task ${task}\` generates`);
    if (stale.length > 0) Deno.exit(1);
  } else {
    for (const { path, content } of files) {
      const url = new URL(path, root);
      await Deno.mkdir(new URL("./", url), { recursive: true });
      await Deno.writeFile(url, bytesOf(content));
    }
  }
  console.log(`${task}: ${files.length} files ${check ? "are as generated" : "written"}`);
}

/** Paths of those `files` that are missing below `folder` or differ there. */
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
