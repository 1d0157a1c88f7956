/**
 * Sends one command to a Redis server on a new connection and returns the first line of the answer (RESP,
 * https://redis.io/docs/latest/develop/reference/protocol-spec/). Throws for an error answer and after `timeoutMs`.
 */
export async function redisCommand(
  url: string,
  command: readonly string[],
  timeoutMs: number,
): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port || 6379) });
  const timer = setTimeout(() => connection.close(), timeoutMs);
  try {
    const lines = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
    const database = pathname.slice(1);
    const commands = [
      ...password
        ? [["AUTH", ...username ? [decodeURIComponent(username)] : [], decodeURIComponent(password)]]
        : [],
      ...database ? [["SELECT", database]] : [],
      command,
    ];
    let answer = "";
    for (const parts of commands) {
      const writer = connection.writable.getWriter();
      await writer.write(encoded(parts));
      writer.releaseLock();
      answer = "";
      while (!answer.includes("\r\n")) {
        const { value, done } = await lines.read();
        if (done) throw new Error("Redis closed the connection");
        answer += value;
      }
      if (answer.startsWith("-")) throw new Error(`Redis refused ${parts[0]}: ${answer.trim()}`);
    }
    return answer.slice(0, answer.indexOf("\r\n"));
  } finally {
    clearTimeout(timer);
  }
}

function encoded(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const bulk = parts.map((part) => `$${encoder.encode(part).length}\r\n${part}\r\n`).join("");
  return encoder.encode(`*${parts.length}\r\n${bulk}`);
}
