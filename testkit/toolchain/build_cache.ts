/**
 * Build products in `dist/cache/`, each under the SHA-256 of everything that it depends on, so that test files and
 * processes share the work.
 */
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { REPOSITORY_ROOT } from "./artifact_pins.ts";

const folder = new URL("dist/cache/", REPOSITORY_ROOT);

/**
 * Returns the product of these inputs from the cache, or builds and stores it.
 *
 * @param inputs everything that the product depends on, with the version of its builder, in JSON
 */
export async function cached<Product>(
  kind: string,
  inputs: unknown,
  build: () => Promise<Product>,
): Promise<Product> {
  const stored = await Deno.readFile(fileOf(kind, inputs)).catch(() => undefined);
  if (stored !== undefined) return deserialize(stored);
  const product = await build();
  await store(kind, inputs, product);
  return product;
}

/** Stores a product that was built outside {@linkcode cached}. */
export async function store(kind: string, inputs: unknown, product: unknown): Promise<void> {
  const temporary = new URL(`${crypto.randomUUID()}.tmp`, folder);
  try {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeFile(temporary, serialize(product));
    await Deno.rename(temporary, fileOf(kind, inputs));
  } catch {
    // The next process builds it again.
  }
}

/** Returns the texts of a folder's files with this extension, by path and in its order. */
export async function readSources(folder: URL, extension: string): Promise<Readonly<Record<string, string>>> {
  const found: [path: string, text: string][] = [];
  const read = async (under: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(under, folder))) {
      const path = `${under}${name}`;
      if (isDirectory) await read(`${path}/`);
      else if (name.endsWith(extension)) found.push([path, await Deno.readTextFile(new URL(path, folder))]);
    }
  };
  await read("");
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
}

function fileOf(kind: string, inputs: unknown): URL {
  // V8 reads no serialization of a later version.
  const key = JSON.stringify([Deno.version.v8, inputs]);
  return new URL(`${kind}-${createHash("sha256").update(key).digest("hex")}`, folder);
}
