import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { commandOutput } from "../shared/command.ts";

/**
 * Reads files of an npm package that is no dependency. npm downloads and verifies it into a temporary folder.
 *
 * @param spec `name@version`
 * @param paths from the package's root
 * @throws Error if npm or tar fails or a file is missing
 */
export async function readNpmPackage(spec: string, paths: readonly string[]): Promise<string[]> {
  return await withTempDirectory(async (cwd) => {
    const archive = await commandOutput("npm", ["pack", spec, "--silent"], { cwd });
    await commandOutput("tar", ["-xzf", archive], { cwd });
    return await Promise.all(paths.map((path) => Deno.readTextFile(`${cwd}/package/${path}`)));
  });
}
