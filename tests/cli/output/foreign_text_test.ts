/**
 * Foreign text on the terminal: the program escapes control sequences from a registry, a file, an endpoint or
 * a relayer.
 */
import assert from "node:assert/strict";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { type CliResult, runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

/**
 * Clears the screen, sets the window's title and colours, hides and reverses text, moves back, and forges a
 * line.
 */
const EVIL =
  "\x1b[2J\x1b]0;owned\x07\x9b31m\x1b[8m\x7f\u202e\u2066\u200b\u2028\u{e0041}\r\n  ok       forged";
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function harmless({ stdout, stderr }: CliResult): void {
  for (const text of [stdout, stderr]) {
    assert.doesNotMatch(text, INVISIBLE);
    assert.doesNotMatch(text, /^ {2}ok {7}forged/m, "no line is forged");
  }
  assert.match(stdout + stderr, /\\u001b\[2J/, "it is shown as what it is");
}

/** Starts a server that refuses every request with `body`, and with a status that clients do not retry. */
function answering(body: () => BodyInit) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(body(), { status: 422, headers: { "content-type": "application/json" } }),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("control sequences in a registry's keys are escaped", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, JSON.stringify({ network: "localnet", pools: { [EVIL]: {} } }));
    for (const more of [[], ["--json"]]) {
      const output = await runCli(["pool", "list", "--network", "localnet", "--registry", file, ...more]);
      assert.equal(output.code, 2);
      harmless(output);
    }
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("control sequences in an endpoint's errors are escaped", async () => {
  await using endpoint = answering(() => JSON.stringify({ ok: false, code: 422, error: EVIL, result: EVIL }));
  const output = await runCli([
    ...["pool", "inspect", "EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c", "--network", "localnet"],
    ...["--endpoint", endpoint.url],
  ]);
  assert.notEqual(output.code, 0);
  assert.doesNotMatch(output.stdout + output.stderr, INVISIBLE);
});

Deno.test("typed arguments are repeated without control sequences", async () => {
  for (const args of [[EVIL], ["note", EVIL], ["pool", "list", `--${EVIL}`], ["completions", EVIL]]) {
    harmless(await runCli(args));
  }
  harmless(await runCli(["compliance", "verify", `/nowhere/${EVIL}`, "--network", "localnet"]));
});

Deno.test("a purpose with control sequences is refused before anything is opened", async () => {
  const output = await runCli(["compliance", "report", "2f81", "--for", `bank ${EVIL}`]);
  assert.deepEqual([output.code, output.prompts.length], [2, 0]);
  assert.match(output.stderr, /a purpose is one line of visible text: character 6 of it is U\+001B/);
  harmless(output);
});

Deno.test("control sequences in a report's members are escaped", async () => {
  const file = await Deno.makeTempFile();
  try {
    const statement = { purpose: EVIL, network: EVIL, [EVIL]: EVIL };
    await Deno.writeTextFile(
      file,
      JSON.stringify({ format: "tonado-compliance", version: 1, statement, [EVIL]: 1 }),
    );
    harmless(await runCli(["compliance", "verify", file, "--network", "localnet"]));
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("text from relayers cannot control the terminal", async () => {
  await using scene = await startCliFixture();
  const { networkFlags: at, api } = scene;
  const body = { code: "overloaded", title: EVIL, detail: EVIL, [EVIL]: EVIL };
  await using refusing = answering(() => JSON.stringify(body));
  await using naming = startRelayerProxy(
    api,
    (path, answer) =>
      path === "/pools"
        ? { ...answer, pools: { [EVIL]: { ...answer.pools["native-1"], amount: EVIL } } }
        : answer,
  );
  await using malformed = startRelayerProxy(
    api,
    (path, answer) => path === "/pools" ? { ...answer, pools: { [EVIL]: { address: EVIL } } } : answer,
  );
  for (const { url } of [refusing, naming, malformed]) {
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr } = await runCli(["status", ...at, "--relayer", url, ...more]);
      assert.doesNotMatch(stdout + stderr, INVISIBLE);
      assert.doesNotMatch(stdout + stderr, /^ {2}ok {7}forged/m);
      if (more.length > 0) assert.equal(JSON.parse(stdout).relayers[0].relayer, url, "it is still JSON");
    }
  }
  const { stdout } = await runCli(["status", ...at, "--relayer", naming.url, "--json"]);
  assert.ok(EVIL in JSON.parse(stdout).relayers[0].fees, "and says what was said");
});
