/**
 * The API page's files. This module lies two folders below the root, as its bundle does in the binary, so the
 * relative path holds for both.
 */
const folder = new URL("../../assets/api-docs/", import.meta.url);

/** Returns a file of the API page, compressed with gzip. */
export async function readApiDocsAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(name, folder));
}
