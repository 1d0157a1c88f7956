/** With a JSON log, the process that operators run writes JSON lines and nothing else. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";
import { sourceCommand } from "../../../testkit/programs/program.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

type Line = Readonly<Record<string, unknown>>;

/** Adds --quiet, because Deno reports downloads of packages in lines of its own. */
const program = sourceCommand().flatMap((word) => word === "run" ? [word, "--quiet"] : [word]);

/** Parses every line of a text. @throws for a line that is not a JSON object */
function parsed(text: string): Line[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`not JSON: ${line}`);
    }
  });
}

function spawn(env: Record<string, string>, args: readonly string[] = []): Deno.ChildProcess {
  const [command, ...rest] = program;
  const kept = Object.fromEntries(["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
  const options = {
    clearEnv: true,
    env: { ...kept, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  };
  return childCommand(command, { args: [...rest, "serve", ...args], ...options } as Deno.CommandOptions)
    .spawn();
}

async function ended(env: Record<string, string>, args?: readonly string[]) {
  const { code, stdout, stderr } = await spawn(env, args).output();
  const [out, err] = [stdout, stderr].map((bytes) => parsed(new TextDecoder().decode(bytes)));
  return { code, out, err };
}

Deno.test("serve in JSON format: a failed start ends with one fatal line with the reason", async () => {
  const wrong = await ended({ RELAYER_WALLET_MNEMONIC: "three words only", RELAYER_PROT: "1" });
  deepEqual([wrong.code, wrong.out, wrong.err.map(({ level }) => level)], [2, [], ["WARN", "FATAL"]]);
  deepEqual(wrong.err[1].code, "invalid_config");
  ok(JSON.stringify(wrong.err[0]).includes("RELAYER_PROT"));
  for (const [env, args] of [[{ HTTP_PROXY: "socks4a://x" }, []], [{}, ["--no-such-flag"]]] as const) {
    const { code, err } = await ended(env, args);
    deepEqual([code, err.map(({ level }) => level)], [2, ["FATAL"]]);
  }
});

Deno.test("serve in pretty format: a failed start is reported as text", async () => {
  const [command, ...args] = program;
  const { stderr } = await childCommand(command, {
    args: [...args, "serve"],
    env: { RELAYER_LOG_FORMAT: "pretty", RELAYER_WALLET_MNEMONIC: "three words only" },
    stdin: "null",
  }).output();
  ok(new TextDecoder().decode(stderr).startsWith("error: "));
});

Deno.test("serve in JSON format: every line parses, from the start over bad requests to SIGTERM", async () => {
  const localnet = await startTestLocalnet({ blockTimeMs: 0 });
  const directory = await Deno.makeTempDir({ prefix: "tonado-serve-log-" });
  await Deno.writeTextFile(`${directory}/registry.json`, formatDeployments(localnet.deployments));
  const child = spawn({
    RELAYER_WALLET_MNEMONIC: localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: localnet.url,
    RELAYER_DEPLOYMENTS: `${directory}/registry.json`,
    RELAYER_DATA_DIR: `${directory}/data`,
    RELAYER_PORT: "0",
  });
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader.read()).value!;
  const { url } = JSON.parse(first);
  const { hostname, port } = new URL(url);
  for (
    const text of ["GET / HTTP/1.1\r\nno header\r\n\r\n", "\0\x01\x02", "GET /livez HTTP/9.9\r\n\r\n", ""]
  ) {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    await connection.write(new TextEncoder().encode(text));
    await connection.closeWrite();
    await connection.read(new Uint8Array(1024)).catch(() => {});
  }
  const secret = `tonado-native-1-localnet-0x${"ab".repeat(62)}`;
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => fetch(`${url}/livez?x=${secret}`)),
  );
  for (const answer of answers) await answer.body?.cancel();
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
  const chunked = new Blob(["{}"]).stream(); // reading it causes a deprecation warning of the runtime
  const headers = { "content-type": "application/json" };
  equal((await fetch(`${url}/withdraw`, { method: "POST", headers, body: chunked })).status, 400);
  const broken = new AbortController();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("{")) });
  const sent = fetch(`${url}/withdraw`, { method: "POST", headers, body, signal: broken.signal });
  setTimeout(() => broken.abort(), 200);
  await sent.then((answer) => answer.body?.cancel(), () => {});

  child.kill("SIGTERM");
  const { code } = await child.status;
  await reader.cancel();
  equal(code, 0);
  const lines = parsed(await errors);
  const refused = lines.filter((line) => /rejected a query/.test(String(line.of ?? line.template)));
  deepEqual(refused.map(({ suppressed }) => suppressed), [undefined, 299]);
  deepEqual(lines.filter(({ level }) => level === "ERROR" || level === "FATAL"), []);
  await localnet.close();
  await Deno.remove(directory, { recursive: true });
});
