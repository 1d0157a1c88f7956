/** Reads a response. Throws what `tooLarge` returns after `maxBytes` bytes, so that a server cannot fill the memory. */
export async function readBoundedBytes(
  response: Response,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

export async function readBoundedText(
  response: Response,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<string> {
  return new TextDecoder().decode(await readBoundedBytes(response, maxBytes, tooLarge));
}
