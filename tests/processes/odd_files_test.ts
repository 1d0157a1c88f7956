/**
 * Files that never end, are not files, or are far too large: commands that read whole files refuse each at
 * once, by name.
 */
import assert from "node:assert/strict";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

/** The ways to name a file: commands with `@` in its place, and variables. */
const ways: [what: string, args: string, variable: string | undefined][] = [
  ["a backup", "note restore @", undefined],
  ["the note store", "note show", "TONADO_NOTES"],
  ["the passphrase's file", "note show", "TONADO_PASSPHRASE_FILE"],
  ["the registry", "pool list --registry @", undefined],
  [
    "the words of who pays",
    "deploy --amount 1 --network localnet --endpoint http://127.0.0.1:9 --mnemonic-file @",
    undefined,
  ],
  ["the relayer's words", "config", "RELAYER_WALLET_MNEMONIC_FILE"],
  ["the relayer's registry", "config", "RELAYER_DEPLOYMENTS"],
  ["a report", "compliance verify @", undefined],
  ["an export", "store import @ --data-dir data", undefined],
];
const REGULAR = /cannot be read: it is not a regular file/;
const odd: [what: string, name: string, says: RegExp][] = [
  ["a pipe that nobody writes to", "pipe", REGULAR],
  ["a device without end", "/dev/zero", REGULAR],
  ["a folder", "folder", REGULAR],
  ["10 GB of nothing", "sparse", /cannot be read: it has 10000000000 bytes, more than \d+/],
];

const dir = await Deno.makeTempDir({ prefix: "tonado-odd-files-" });
await Deno.mkdir(`${dir}/folder`);
await Deno.writeTextFile(`${dir}/sparse`, "");
await Deno.truncate(`${dir}/sparse`, 10_000_000_000);
await childCommand("mkfifo", { args: [`${dir}/pipe`] }).output();
await Deno.writeTextFile(`${dir}/pools.json`, '{"network":"localnet","pools":{}}');

for (const [what, name, says] of odd) {
  for (const [way, args, variable] of ways) {
    if (name === "sparse" && way === "an export") continue; // commands read it in pieces, at any length
    Deno.test(`${way} that is ${what} is refused`, async () => {
      const given = args.replace("@", name).split(" ");
      const env: Record<string, string> = { TONADO_NOTES: "notes.age" };
      if (variable !== "TONADO_PASSPHRASE_FILE") env.TONADO_PASSPHRASE = "correct horse battery";
      const command = childCommand("timeout", {
        args: ["-s", "KILL", "20", ...sourceCommand(), ...given],
        env: { ...env, ...variable && { [variable]: name } },
        cwd: dir,
      });
      const { code, stderr } = await command.output();
      const reported = new TextDecoder().decode(stderr);
      assert.match(reported, says);
      assert.equal(code, 2, reported);
    });
  }
}

Deno.test("the odd files are removed", () => Deno.remove(dir, { recursive: true }));
