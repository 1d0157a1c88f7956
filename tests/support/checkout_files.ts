/** The files of the checkout, with or without git. */

/** Folders and files that .gitignore names, and git's own. */
const IGNORED =
  /^(?:\.git|target|dist|data|node_modules|\.schemathesis|mnemonic\.txt|\.env|.*\.tmp(?:\.ts)?)$/;

const root = new URL("../../", import.meta.url);

/**
 * Returns the paths of the checkout's files, relative to its root and sorted.
 *
 * @param ending how their names end: ".md"
 */
export async function checkoutFiles(ending = "", folder = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (IGNORED.test(name)) continue;
    if (isDirectory) found.push(...await checkoutFiles(ending, `${folder}${name}/`));
    else if (name.endsWith(ending)) found.push(`${folder}${name}`);
  }
  return found.sort();
}
