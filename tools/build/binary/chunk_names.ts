/** Gives the chunks of a bundle names that do not depend on the path where it was built. */
const IMPORT = /"\.\/([\w-]+\.js)"/g;

/**
 * Renames the chunks that `entries` import. The bundler names them by hashes of paths; they become `0.js`, `1.js`,
 * ... in the order of their first import. Entries keep their names.
 *
 * @param folder the bundle's folder, without subfolders
 * @param entries names of files in it
 */
export async function renameChunks(folder: string, entries: readonly string[]): Promise<void> {
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
