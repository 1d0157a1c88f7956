/** The program behind a proxy: whoever withdraws from another network address than they deposited from relies on it. */
import assert from "node:assert/strict";
import { output } from "./compiled/binary.ts";
import { fromSources } from "./support/program.ts";

/** A proxy that notes the first line, or the first byte, that each connection begins with, and hangs up. */
function proxy() {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(512);
      const read = await connection.read(bytes) ?? 0;
      asked.push(
        bytes[0] === 5 ? "SOCKS5" : new TextDecoder().decode(bytes.subarray(0, read)).split("\r\n")[0],
      );
      connection.close();
    }
  })();
  return {
    asked,
    host: `127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

const endpoint = "https://endpoint.invalid/api/v2/jsonRPC";
const inspect = ["pool", "inspect", `0:${"11".repeat(32)}`, "--endpoint", endpoint];
const asks: Record<string, [args: readonly string[], host: string]> = {
  "the endpoint": [inspect, "endpoint.invalid:443"],
  "a relayer": [
    ["status", "--live", "https://relayer.invalid"],
    "relayer.invalid:443",
  ],
};
for (const [whom, [args, host]] of Object.entries(asks)) {
  Deno.test(`HTTPS_PROXY: ${whom} is asked through it`, async () => {
    await using behind = proxy();
    const { code, stderr } = await output([...fromSources, ...args], {
      HTTPS_PROXY: `http://${behind.host}`,
    });
    assert.notEqual(code, 0, "nobody answers");
    assert.ok(behind.asked.includes(`CONNECT ${host} HTTP/1.1`), `${behind.asked.join("\n")}\n${stderr}`);
  });
}

Deno.test("HTTPS_PROXY may be a SOCKS proxy that resolves names, as Tor's is", async () => {
  await using behind = proxy();
  const { code, stderr } = await output([...fromSources, ...inspect], {
    HTTPS_PROXY: `socks5h://${behind.host}`,
  });
  assert.notEqual(code, 0, "nobody answers");
  assert.ok(behind.asked.includes("SOCKS5"), stderr);
});
