/** Anyone can pay the commitment of a version 2 note again. Each deposit of it is withdrawn once. */
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { parseTransferLink } from "../../../src/cli/commands/localnet/pay.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const KEY = "native-10-v2";
const TEN = 10_000_000_000n;

Deno.test("a version 2 note that was paid twice is withdrawn twice, and then no more", async () => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, networkFlags: at, env, payerFlags: payer } = scene;
  let sent: Promise<void> | undefined;
  let output = "";
  const { code, stderr, stdout } = await runCli(["deposit", KEY, ...at, "--json"], env, {
    onStdout(text) {
      output += text;
      const payment = output.endsWith("\n") &&
        parseJsonLines(output).find(({ event }) => event === "payment");
      if (!payment) return;
      const message = parseTransferLink(payment.url);
      sent ??= net.user.send([message, message]).then(() => {});
    },
  });
  await sent;
  equal(code, 0, stderr);
  const { id } = parseJsonLines(stdout).at(-1)!;
  const settled = await runCli(["settle", KEY, ...at, ...payer, "--yes"], env);
  equal(settled.code, 0, settled.stderr);
  const check = async () =>
    JSON.parse((await runCli(["note", "check", ...at, "--json"], env)).stdout).notes[0];
  const withdraw = async (byte: number) => {
    const to = new Address(0, Buffer.alloc(32, byte));
    const self = ["--self", ...payer, "--yes", "--no-recipient-check"];
    const outcome = await runCli(["withdraw", id, ...at, "--to", to.toString(), ...self], env);
    return { ...outcome, received: (await net.chain.account(to)).balance };
  };

  const first = await withdraw(0x71);
  deepEqual([first.code, first.received], [0, TEN], first.stderr);
  deepEqual([(await check()).state, (await check()).leafIndex], ["deposited", 1]);
  const second = await withdraw(0x72);
  deepEqual([second.code, second.received], [0, TEN], second.stderr);
  doesNotMatch(second.stderr, /interrupted withdrawal/, "the first one has paid");
  equal((await check()).state, "withdrawn");
  const third = await withdraw(0x73);
  deepEqual([third.code, third.received], [1, 0n]);
  match(third.stderr, /already withdrawn/);
});
