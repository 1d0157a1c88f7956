/** Lies two folders below the root, as its bundle does, so that the relative path holds for both. */
const folder = new URL("../../assets/api-docs/", import.meta.url);

export async function readApiDocsAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(new URL(name, folder));
}
