import { replaceFile, writeAll } from "../../config/files/atomic_file.ts";
import { assertRegularFile, readBoundedFile } from "../../config/files/bounded_file.ts";
import { Problem } from "../../core/errors/problem.ts";
import { wrapConfigErrors, wrapWriteErrors, writeError } from "../output/system_errors.ts";
import type { CliContext } from "../context.ts";
import { openOutputFile } from "./output_file.ts";

export const localFiles: Pick<
  CliContext,
  "makeTempDir" | "removeDir" | "writeFile" | "openOutputFile" | "readFile" | "readStream" | "writeNewFile"
> = {
  makeTempDir: () =>
    wrapWriteErrors("a temporary folder (TMPDIR says where)", () => Deno.makeTempDir({ prefix: "tonado-" })),
  async removeDir(path) {
    await Deno.remove(path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  },
  async writeFile(path, text) {
    await wrapWriteErrors(path, () => replaceFile(path, new TextEncoder().encode(text)));
  },
  openOutputFile,
  readFile: (path, most) =>
    wrapConfigErrors("file", `${path} cannot be read`, () => readBoundedFile(path, most)),
  readStream: (path) =>
    wrapConfigErrors("file", `${path} cannot be read`, async () => {
      assertRegularFile(path);
      return (await Deno.open(path)).readable;
    }),
  async writeNewFile(path, content) {
    const draft = `${path}.part`;
    const file = await wrapConfigErrors("file", `${path} cannot be created`, () => createDraft(path, draft));
    try {
      try {
        for await (const chunk of content) await wrapWriteErrors(path, () => writeAll(file, chunk));
        await wrapWriteErrors(path, () => file.sync());
      } finally {
        file.close();
      }
      await wrapWriteErrors(path, () => Deno.rename(draft, path));
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  },
};

async function createDraft(path: string, draft: string): Promise<Deno.FsFile> {
  if (await Deno.lstat(path).then(() => true, () => false)) { // also a link to nothing
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "file", detail: `${path} already exists and is not replaced` }],
      hint: "Choose a new file name.",
    });
  }
  try {
    return await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
  } catch (cause) {
    const named = cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.AlreadyExists;
    throw named ? cause : writeError(path, cause);
  }
}
