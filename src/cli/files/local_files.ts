/** Files that commands read and write, on this machine. */
import { dirname } from "node:path";
import { assertRegular, readWhole } from "../../config/whole_file.ts";
import { Problem } from "../../core/errors.ts";
import { orWrong, unwritable, written } from "../system_faults.ts";
import type { Wiring } from "../wiring.ts";
import { ownFile } from "./own_file.ts";

/** The part of the wiring that they are. */
export const localFiles: Pick<
  Wiring,
  "makeTempDir" | "removeDir" | "writeFile" | "ownFile" | "readFile" | "readStream" | "writeStream"
> = {
  makeTempDir: () =>
    written("a temporary folder (TMPDIR says where)", () => Deno.makeTempDir({ prefix: "tonado-" })),
  async removeDir(path) {
    await Deno.remove(path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  },
  async writeFile(path, text) {
    await written(path, async () => {
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
    });
  },
  ownFile,
  readFile: (path, most) => orWrong("file", `${path} cannot be read`, () => readWhole(path, most)),
  readStream: (path) =>
    orWrong("file", `${path} cannot be read`, async () => {
      assertRegular(path);
      return (await Deno.open(path)).readable;
    }),
  async writeStream(path, content) {
    const draft = `${path}.part`;
    const file = await orWrong("file", `${path} cannot be written anew`, () => begin(path, draft));
    try {
      try {
        for await (const chunk of content) {
          for (let rest = chunk; rest.length > 0;) {
            rest = rest.subarray(await written(path, () => file.write(rest)));
          }
        }
        await written(path, () => file.sync());
      } finally {
        file.close();
      }
      await written(path, () => Deno.rename(draft, path));
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  },
};

async function begin(path: string, draft: string): Promise<Deno.FsFile> {
  if (await Deno.stat(path).then(() => true, () => false)) {
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "file", detail: `${path} is there already, and is not replaced` }],
      todo: "Name a file that is not there yet.",
    });
  }
  try {
    return await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
  } catch (cause) {
    const named = cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.AlreadyExists;
    throw named ? cause : unwritable(path, cause);
  }
}
