/** The files of a bundle cut in pieces, under names that do not depend on where it was made. */
const IMPORT = /"\.\/([\w-]+\.js)"/g;

/**
 * Renames the pieces that `entries` import, which the bundler names by hashes of paths, in the order of their first
 * mention: `0.js`, `1.js`, ... Entries keep their names.
 *
 * @param folder that of the bundle, which has no folder in it
 * @param entries names of files in it
 */
export async function renamePieces(folder: string, entries: readonly string[]): Promise<void> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    texts.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  const names = new Map<string, string>();
  const visit = (piece: string) => {
    for (const [, other] of texts.get(piece)!.matchAll(IMPORT)) {
      if (!texts.has(other) || names.has(other)) continue;
      names.set(other, `${names.size}.js`);
      visit(other);
    }
  };
  entries.forEach((entry) => visit(entry));
  for (const [name, text] of texts) {
    await Deno.remove(`${folder}/${name}`);
    const renamed = text.replace(
      IMPORT,
      (whole, other) => names.has(other) ? `"./${names.get(other)}"` : whole,
    );
    texts.set(name, renamed);
  }
  for (const [name, text] of texts) await Deno.writeTextFile(`${folder}/${names.get(name) ?? name}`, text);
}
