/** Reads a response as text up to a limit, so that a server cannot fill the memory. */

/** Returns the text of `response`. Throws what `tooLarge` returns after more than `maxBytes` bytes. */
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
