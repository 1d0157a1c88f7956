/** URLs on the command line: malformed ones are usage errors, and no output shows their secrets. */
import assert from "node:assert/strict";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { runCli } from "../support/cli/run_cli.ts";

const WITH_SECRETS = "http://user:SECRETPW@127.0.0.1:9/?api_key=SECRETKEY";
const TO = `0:${"11".repeat(32)}`;

const mistakes: [name: string, args: string[], flag: string][] = [
  ["a file", ["withdraw", "2f", "--to", TO, "--relayer", "file:///etc/passwd"], "--relayer"],
  ["no URL", ["withdraw", "2f", "--to", TO, "--relayer", "notaurl"], "--relayer"],
  ["no URL for status", ["status", "--relayer", "notaurl"], "--relayer"],
  ["no URL for deposit", ["deposit", "native-1", "--relayer", "notaurl"], "--relayer"],
  ["no URL to live", ["status", "--live", "notaurl"], "--live"],
  ["a password for status", ["status", "--relayer", WITH_SECRETS], "--relayer"],
  ["a password for withdraw", ["withdraw", "2f", "--to", TO, "--relayer", WITH_SECRETS], "--relayer"],
  ["a password to live", ["status", "--live", WITH_SECRETS], "--live"],
  ["a password for the endpoint", ["status", "--endpoint", WITH_SECRETS], "--endpoint"],
  ["another API for the endpoint", ["status", "--endpoint", "https://toncenter.com/api/v3"], "--endpoint"],
  ["no scheme for the endpoint", ["status", "--endpoint", "user:SECRETPW@host"], "--endpoint"],
];
for (const [name, args, flag] of mistakes) {
  for (const json of [false, true]) {
    Deno.test(`${name} is refused without printing secrets${json ? ", as JSON" : ""}`, async () => {
      const { code, stdout, stderr } = await runCli([...args, ...json ? ["--json"] : []]);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.doesNotMatch(stderr, /SECRET/);
      if (json) {
        const { error } = JSON.parse(stderr);
        assert.deepEqual([error.code, error.errors[0].pointer], ["invalid_config", flag]);
      } else assert.match(stderr, new RegExp(`\\n  ${flag}: .*(http or https|API v3)`));
    });
  }
}

for (const args of [["status", WITH_SECRETS], ["status", "--network", WITH_SECRETS], [WITH_SECRETS]]) {
  for (const json of [[], ["--json"]]) {
    Deno.test(`a URL in the wrong place is shown without its secrets: ${[...args, ...json].join(" ")}`, async () => {
      const { code, stdout, stderr } = await runCli([...args, ...json]);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.doesNotMatch(stderr, /SECRET/);
    });
  }
}

Deno.test("the flags of a next step have no key of an endpoint", () =>
  withTempDirectory(async (dir) => {
    await useTrapdoorKeys();
    const net = await startTestLocalnet({ blockTimeMs: 0 });
    try {
      const registry = `${dir}/localnet.json`;
      await Deno.writeTextFile(registry, formatDeployments(net.deployments));
      const { code, stdout, stderr } = await runCli(
        [
          ...["note", "create", "native-1", "--network", "localnet", "--registry", registry],
          ...["--endpoint", `${net.url}?api_key=SECRETKEY`, "--requests-per-second", "7"],
        ],
        { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" },
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /--endpoint 'http:\S+\?\[redacted\]' --requests-per-second 7 /);
      assert.doesNotMatch(stdout + stderr, /SECRET/);
    } finally {
      await net.close();
    }
  }));
