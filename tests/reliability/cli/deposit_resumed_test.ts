/** `tonado deposit` by phone, killed: the next run checks the pool before it asks a wallet again. */
import assert from "node:assert/strict";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { CONNECT_LINK, Phone } from "../../support/cli/phone.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";

Deno.test("tonado deposit --resume connects again after an earlier payment that another deposit overtook", async () => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, networkFlags: at, env } = scene;
  const pool = net.contract("native-0.1").address;
  const newest = async () => (await net.chain.account(pool)).last?.hash;
  using phone = new Phone(net.user);
  const phoneFlags = [...at, "--connect", "localnet"];
  const child = startProgram(sourceCommand(), ["deposit", "native-0.1", ...phoneFlags], env);
  let line = await child.nextLine();
  while (!CONNECT_LINK.test(`${line}\n`)) {
    assert.doesNotMatch(line, /earlier request/, "nobody can have paid before");
    line = await child.nextLine();
  }
  await phone.open(line);
  await waitUntil("the wallet is asked", () => phone.requests === 1);
  child.kill("SIGKILL");
  await child.status;
  await net.deposit("native-0.1"); // another depositor is first
  const before = await newest();
  phone.confirm(0);
  await waitUntil("the pool has answered the payment", async () => await newest() !== before);
  let seen = "";
  using other = new Phone(net.user, true);
  const { code, stderr } = await runCli(["deposit", "--resume", ...phoneFlags], env, {
    onStdout(text) {
      seen += text;
      const [link] = CONNECT_LINK.exec(text) ?? [];
      if (link) void other.open(link);
    },
  });
  assert.equal(code, 0, stderr);
  assert.match(seen, /is stored; an earlier run may have paid for it, so the pool is checked first\n/);
  assert.doesNotMatch(seen, /nothing has been sent yet/);
  assert.match(
    seen,
    /If a wallet still shows an earlier request for it, decline that one\.\nConfirm the payment of 0\.1/,
  );
  assert.equal(await net.contract("native-0.1").getNextIndex(), 2, "paid once");
});
