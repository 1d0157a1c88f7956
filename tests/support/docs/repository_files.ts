/** Lists the files of the repository without git. */

/** Names that .gitignore lists, and git's own folder. */
const IGNORED_NAMES =
  /^(?:\.git|target|dist|data|node_modules|\.schemathesis|mnemonic\.txt|\.env|.*\.tmp(?:\.ts)?)$/;

const root = new URL("../../../", import.meta.url);

/** Returns the paths of the repository's files that end with `ending`, relative to its root and sorted. */
export async function listRepositoryFiles(ending = "", folder = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (IGNORED_NAMES.test(name)) continue;
    if (isDirectory) paths.push(...await listRepositoryFiles(ending, `${folder}${name}/`));
    else if (name.endsWith(ending)) paths.push(`${folder}${name}`);
  }
  return paths.sort();
}
