/** `tonado deposit` by a phone, killed: what became of a payment that nobody followed is told beside the next link. */
import assert from "node:assert/strict";
import { Cell } from "@ton/core";
import { until } from "../../e2e/relayer_harness.ts";
import { commandScene } from "../../support/command_scene.ts";
import { tonado } from "../../support/in_process.ts";
import { fromSources, start } from "../../support/program.ts";
import { readLink } from "../../support/transfer_link.ts";

Deno.test("tonado deposit --resume tells what became of an earlier link that was paid and overtaken", async () => {
  await using scene = await commandScene({ relayer: false });
  const { net, at, env } = scene;
  const pool = net.contract("native-0.1").address;
  const newest = async () => (await net.chain.account(pool)).last?.hash;
  const pay = async (url: string) => {
    const { to, amount, bin } = readLink(url);
    await net.user.send([{ to, value: amount, bounce: true, body: Cell.fromBoc(bin)[0] }]);
  };
  const child = start(fromSources, ["deposit", "native-0.1", ...at], env);
  let line = await child.line();
  while (!line.startsWith("ton://")) {
    assert.doesNotMatch(line, /earlier link/, "nobody can have paid before");
    line = await child.line();
  }
  child.kill("SIGKILL");
  await child.status;
  await net.deposit("native-0.1"); // somebody else is first
  const before = await newest();
  await pay(line);
  await until("the pool has answered the payment", async () => await newest() !== before);
  let seen = "";
  let paid: Promise<void> | undefined;
  const { code, stderr } = await tonado(["deposit", "--resume", ...at], env, {
    sees(text) {
      seen += text;
      const [url] = /ton:\/\/\S+(?=\n)/.exec(text) ?? [];
      if (url) paid = pay(url);
    },
  });
  await paid;
  assert.equal(code, 0, stderr);
  assert.match(seen, /is kept; an earlier run may have sent its money: the pool is read first\n/);
  assert.doesNotMatch(seen, /nothing is sent yet/);
  assert.match(
    seen,
    /If you paid an earlier link of it and another deposit was first, [^]* come back [^]*\nPay 0\.1/,
  );
  assert.equal(await net.contract("native-0.1").getNextIndex(), 2, "paid once");
});
