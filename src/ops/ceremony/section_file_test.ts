import { deepEqual, equal, rejects } from "node:assert/strict";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import {
  type ByteSource,
  equalBytes,
  memorySource,
  readSections,
  u32,
  u64,
  writeSections,
} from "./section_file.ts";

const contents = [[3, new Uint8Array([1, 2, 3])], [1, new Uint8Array()], [9, new Uint8Array([4])]] as const;
const file = writeSections("zkey", contents);
const read = (bytes: Uint8Array) => readSections(memorySource(bytes), "zkey", "the key");
const refuses = (bytes: Uint8Array, detail: string) =>
  rejects(read(bytes), { code: "invalid_ceremony", message: `the key ${detail}` });

const withSections = (count: number, ...parts: Uint8Array[]) =>
  concatBytes(utf8ToBytes("zkey"), u32(1), u32(count), ...parts);

Deno.test("each written section is found at its offset, including an empty one at the end", async () => {
  const sections = await read(file);
  deepEqual([...sections.keys()], [3, 1, 9]);
  for (const [id, content] of contents) {
    const { offset, length } = sections.get(id)!;
    deepEqual(await memorySource(file).read(offset, length), content);
  }
  deepEqual([...await read(withSections(1, u32(7), u64(0)))], [[7, { offset: 24, length: 0 }]]);
  deepEqual([...await read(withSections(0))], []);
});

Deno.test("a file that ends anywhere before its end is refused", async () => {
  for (let length = 0; length < file.length; length++) {
    await refuses(file.subarray(0, length), "is truncated");
  }
});

Deno.test("bytes after the last section are refused", async () => {
  await refuses(concatBytes(file, new Uint8Array(1)), "has bytes after its last section");
  await refuses(withSections(0, new Uint8Array(12)), "has bytes after its last section");
});

Deno.test("another format or version is refused", async () => {
  await refuses(writeSections("r1cs", contents), "is not a zkey file");
  await refuses(concatBytes(utf8ToBytes("zkez"), file.subarray(4)), "is not a zkey file");
  for (const version of [0, 2]) {
    await refuses(writeSections("zkey", contents, version), "has an unknown version");
  }
  await rejects(readSections(memorySource(file), "ptau", "the powers"), {
    message: "the powers is not a ptau file",
  });
});

Deno.test("a section that comes twice is refused", async () => {
  await refuses(writeSections("zkey", [...contents, [3, new Uint8Array([1, 2, 3])]]), "has section 3 twice");
});

Deno.test("at most 32 sections are read, however many a file announces", async () => {
  const many = (count: number) =>
    writeSections("zkey", Array.from({ length: count }, (_, i) => [i, new Uint8Array(1)] as const));
  equal((await read(many(32))).size, 32);
  await refuses(many(33), "has 33 sections, which no such file has");
  let reads = 0;
  const source: ByteSource = {
    size: 12,
    read: () => (reads++, Promise.resolve(withSections(2 ** 32 - 1) as Uint8Array<ArrayBuffer>)),
  };
  await rejects(readSections(source, "zkey", "the key"), { code: "invalid_ceremony" });
  equal(reads, 1);
});

Deno.test("a length beyond the file is refused, up to the largest number", async () => {
  for (const length of [2, 2 ** 40]) {
    await refuses(withSections(1, u32(1), u64(length), new Uint8Array(1)), "is truncated");
  }
  await refuses(withSections(1, u32(1), new Uint8Array(8).fill(255), new Uint8Array(1)), "is truncated");
});

Deno.test("memory is read in parts, and no further than it reaches", async () => {
  const bytes = Uint8Array.from({ length: 10 }, (_, i) => i);
  const source = memorySource(bytes.subarray(2));
  equal(source.size, 8);
  deepEqual(await source.read(1, 3), new Uint8Array([3, 4, 5]));
  deepEqual(await source.read(6, 5), new Uint8Array([8, 9]));
});

Deno.test("numbers are little endian, and bytes are equal if each one is", () => {
  deepEqual([...u32(0x01020304)], [4, 3, 2, 1]);
  deepEqual([...u64(0x0102030405)], [5, 4, 3, 2, 1, 0, 0, 0]);
  const bytes = new Uint8Array([1, 2]);
  deepEqual(
    [[1, 2], [1, 3], [2, 2], [1], [1, 2, 3]].map((other) => equalBytes(bytes, new Uint8Array(other))),
    [true, false, false, false, false],
  );
});
