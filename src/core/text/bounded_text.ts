/** Throws what `tooLarge` returns after `maxBytes` bytes, so that a server cannot fill the memory. */
export async function readBoundedText(
  response: Response,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
