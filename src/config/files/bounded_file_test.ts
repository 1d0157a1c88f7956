import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import {
  assertRegularFile,
  fileExists,
  formatReadFailure,
  readBoundedFile,
  readBoundedTextFile,
} from "./bounded_file.ts";

async function inFolder(use: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-bounded-" });
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function failureOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return formatReadFailure(error);
  }
  throw new Error("it did not fail");
}

Deno.test("a file of the maximum size is read, and one byte more is refused", () =>
  inFolder((folder) => {
    const path = `${folder}/file`;
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);
    Deno.writeFileSync(path, bytes);
    deepEqual(readBoundedFile(path, 100), bytes);
    deepEqual(readBoundedFile(path, 1_000), bytes);
    equal(failureOf(() => readBoundedFile(path, 99)), ": it has 100 bytes, more than 99");
    equal(assertRegularFile(path, 100), 100);
    equal(failureOf(() => assertRegularFile(path, 99)), ": it has 100 bytes, more than 99");
    Deno.writeFileSync(path, new Uint8Array());
    deepEqual(readBoundedFile(path, 0), new Uint8Array());
  }));

Deno.test("a file whose size the system does not report is read to its end, within the bound", () => {
  const status = Deno.readTextFileSync("/proc/self/status");
  equal(Deno.statSync("/proc/self/status").size, 0);
  equal(readBoundedTextFile("/proc/self/status", 100_000).split("\n")[0], status.split("\n")[0]);
  equal(failureOf(() => readBoundedTextFile("/proc/self/status", 10)).endsWith(", more than 10"), true);
});

Deno.test("text keeps its byte order mark, so that what is hashed is what is in the file", () =>
  inFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/text`, "\uFEFFone");
    equal(readBoundedTextFile(`${folder}/text`, 100), "\uFEFFone");
  }));

Deno.test("folders and devices are refused, and errors of the system are not repeated", () =>
  inFolder((folder) => {
    for (const path of [folder, "/dev/null", "/dev/zero"]) {
      equal(failureOf(() => readBoundedFile(path, 100)), ": it is not a regular file");
      throws(() => assertRegularFile(path));
    }
    equal(failureOf(() => readBoundedFile(`${folder}/zebra abandon`, 100)), "");
  }));

Deno.test("a file exists, or does not, or the system refuses to say", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    deepEqual(
      await Promise.all(["", "/file", "/missing", "/file/below"].map((name) => fileExists(folder + name))),
      [true, true, false, false],
    );
    await rejects(fileExists(`${folder}/${"x".repeat(300)}`)); // its name is too long
  }));
