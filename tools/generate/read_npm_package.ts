/**
 * Reads files of an npm package that is no dependency. npm downloads and verifies it into a temporary folder.
 *
 * @param spec `name@version`
 * @param paths from the package's root
 * @throws Error if npm or tar fails or a file is missing
 */
export async function readNpmPackage(spec: string, paths: readonly string[]): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  const run = async (command: string, ...args: string[]) => {
    const { success, stdout } = await new Deno.Command(command, { args, cwd: folder }).output();
    if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
    return new TextDecoder().decode(stdout).trim();
  };
  try {
    const archive = await run("npm", "pack", spec, "--silent");
    await run("tar", "-xzf", archive);
    return await Promise.all(paths.map((path) => Deno.readTextFile(`${folder}/package/${path}`)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
