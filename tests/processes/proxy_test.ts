/** The program behind a proxy. Users rely on it to withdraw from another address than they deposited from. */
import assert from "node:assert/strict";
import { assertUsableProxies } from "../../src/config/settings/proxy_settings.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { output } from "../compiled/binary.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";

/** Starts a proxy that records the first line, or the first byte, of each connection, and closes it. */
function proxy() {
  const requests: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(512);
      const read = await connection.read(bytes) ?? 0;
      requests.push(
        bytes[0] === 5 ? "SOCKS5" : new TextDecoder().decode(bytes.subarray(0, read)).split("\r\n")[0],
      );
      connection.close();
    }
  })();
  return {
    requests,
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
  Deno.test(`HTTPS_PROXY: ${whom} is reached through it`, async () => {
    await using behind = proxy();
    const { code, stderr } = await output([...sourceCommand(), ...args], {
      HTTPS_PROXY: `http://${behind.host}`,
    });
    assert.notEqual(code, 0, "nobody answers");
    assert.ok(
      behind.requests.includes(`CONNECT ${host} HTTP/1.1`),
      `${behind.requests.join("\n")}\n${stderr}`,
    );
  });
}

Deno.test("HTTPS_PROXY may be a SOCKS proxy that resolves names, as Tor's is", async () => {
  await using behind = proxy();
  const { code, stderr } = await output([...sourceCommand(), ...inspect], {
    HTTPS_PROXY: `socks5h://${behind.host}`,
  });
  assert.notEqual(code, 0, "nobody answers");
  assert.ok(behind.requests.includes("SOCKS5"), stderr);
});

/** Proxy settings that the program accepts and must use. `HOST` stands for the proxy's host. */
const usable = [
  "http://HOST",
  "HTTP://HOST/",
  "https://HOST",
  "http://user:pass@HOST",
  "http://user:pa%40:@ss@HOST",
  "http://:pass@HOST",
  "HOST",
  "user:pass@HOST",
  "socks5://HOST",
  "socks5h://HOST/",
  "socks5h://user:pa%2:@ss@HOST",
];
/** The runtimes: the one that runs this test, and the one that the binary embeds, if present. */
const runtimes = new Set([Deno.execPath(), Deno.env.get("TONADO_COMPILER") ?? Deno.execPath()]);
const requests = 'await fetch("https://endpoint.invalid").catch(() => {})';
for (const runtime of runtimes) {
  Deno.test(`every accepted form of a proxy is used by ${runtime}`, async () => {
    for (const form of usable) {
      await using behind = proxy();
      const value = form.replace("HOST", behind.host);
      assertUsableProxies({ HTTPS_PROXY: value });
      await output([runtime, "eval", requests], { HTTPS_PROXY: value });
      assert.ok(behind.requests.length > 0, form);
    }
  });
}

const unusable = [
  "socks4a://s3cret:s3cret@127.0.0.1:9",
  "socks4://127.0.0.1:9",
  "socks://127.0.0.1:9",
  "SOCKS5H://127.0.0.1:9",
  "socks5h:127.0.0.1:9",
  "socks5h//127.0.0.1:9",
  "socks5h:/127.0.0.1:9",
  "socks5h://127.0.0.1:9 ",
  "socks5h://s3cret@127.0.0.1:9",
  "socks5h://[::1]:9",
  "tor://127.0.0.1:9",
  " http://127.0.0.1:9",
  '"http://127.0.0.1:9"',
  "http:127.0.0.1:9",
  "http://s3cret@127.0.0.1:9",
  "http://user:s3/cret@127.0.0.1:9",
  "http://127.0.0.1:0",
  "http://127.0.0.1:65536",
  "127.0.0.1:9/",
  "//127.0.0.1:9",
  "http://",
  " ",
];
Deno.test("a proxy that the runtime cannot use is refused, under every name, and its value is never printed", () => {
  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]) {
    for (const value of unusable) {
      assert.throws(
        () => assertUsableProxies({ HTTPS_PROXY: "http://127.0.0.1:9", [name]: value }),
        (error) => {
          assert.ok(error instanceof Problem && error.code === "invalid_config");
          assert.deepEqual(error.errors.map(({ pointer }) => pointer), [name]);
          assert.doesNotMatch(JSON.stringify(error.errors), /s3/);
          return true;
        },
        `${name}=${value}`,
      );
    }
  }
});

Deno.test("a proxy's variable that is empty counts as unset", () => {
  assertUsableProxies({ HTTPS_PROXY: "", all_proxy: "" });
});

Deno.test("with an unusable proxy no command connects", async () => {
  await using direct = proxy();
  const commands = [
    ["pool", "inspect", `0:${"11".repeat(32)}`, "--endpoint", `http://${direct.host}/api/v2/jsonRPC`],
    ["status", "--live", `http://${direct.host}`],
    ["serve"],
  ];
  for (const args of commands) {
    for (const name of ["HTTP_PROXY", "all_proxy"]) {
      const { code, stderr } = await output([...sourceCommand(), ...args], {
        INDEXER_URL: `http://${direct.host}/api/v2/jsonRPC`,
        [name]: "socks4a://s3cret:s3cret@127.0.0.1:9",
      });
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(`invalid_config[^]*${name}: .*socks5h://host:port`));
      assert.doesNotMatch(stderr, /s3cret|RELAYER_/);
    }
  }
  assert.deepEqual(direct.requests, []);
});
