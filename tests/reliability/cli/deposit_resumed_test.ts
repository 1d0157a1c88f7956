/**
 * `tonado deposit` by phone, killed: the next run reports the result of an earlier payment before it shows a
 * link.
 */
import assert from "node:assert/strict";
import { Cell } from "@ton/core";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";
import { decodeTransferLink } from "../../support/cli/transfer_link.ts";

Deno.test("tonado deposit --resume reports what happened to an earlier link that was paid after another deposit", async () => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, networkFlags: at, env } = scene;
  const pool = net.contract("native-0.1").address;
  const newest = async () => (await net.chain.account(pool)).last?.hash;
  const pay = async (url: string) => {
    const { to, amount, bin } = decodeTransferLink(url);
    await net.user.send([{ to, value: amount, bounce: true, body: Cell.fromBoc(bin)[0] }]);
  };
  const child = startProgram(sourceCommand(), ["deposit", "native-0.1", ...at], env);
  let line = await child.nextLine();
  while (!line.startsWith("ton://")) {
    assert.doesNotMatch(line, /earlier link/, "nobody can have paid before");
    line = await child.nextLine();
  }
  child.kill("SIGKILL");
  await child.status;
  await net.deposit("native-0.1"); // another depositor is first
  const before = await newest();
  await pay(line);
  await waitUntil("the pool has answered the payment", async () => await newest() !== before);
  let seen = "";
  let paid: Promise<void> | undefined;
  const { code, stderr } = await runCli(["deposit", "--resume", ...at], env, {
    onStdout(text) {
      seen += text;
      const [url] = /ton:\/\/\S+(?=\n)/.exec(text) ?? [];
      if (url) paid = pay(url);
    },
  });
  await paid;
  assert.equal(code, 0, stderr);
  assert.match(seen, /is stored; an earlier run may have paid for it, so the pool is checked first\n/);
  assert.doesNotMatch(seen, /nothing has been sent yet/);
  assert.match(
    seen,
    /If you paid an earlier link and another deposit landed first, [^]*bounced back [^]*\nPay 0\.1/,
  );
  assert.equal(await net.contract("native-0.1").getNextIndex(), 2, "paid once");
});
