import { equal, rejects } from "node:assert/strict";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { lockDirectory } from "./directory_lock.ts";

Deno.test("a data directory has one holder, and its lock follows no link", () =>
  withTempDirectory(async (folder) => {
    {
      using _held = await lockDirectory(folder);
      await rejects(lockDirectory(folder), { code: "folder_in_use" });
    }
    await Deno.symlink(`${folder}/elsewhere`, `${folder}/tonado.lock`);
    await rejects(lockDirectory(folder), {
      code: "invalid_config",
      message: /tonado\.lock is not a regular file/,
    });
    equal([...Deno.readDirSync(folder)].some(({ name }) => name === "elsewhere"), false);
  }));
