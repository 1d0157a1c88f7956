/** This file and its bundle are both two folders below the root, so the relative path works for both. */
const folder = new URL("../../assets/api-docs/", import.meta.url);

export async function readApiDocsAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(name, folder));
}
