/** `tonado deposit` refuses a note that was withdrawn, however its text is imported again. */
import assert from "node:assert/strict";
import { formatNote } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { CONNECT_LINK, Phone } from "../../support/cli/phone.ts";
import { runCli } from "../../support/cli/run_cli.ts";

Deno.test("tonado deposit of a note that was withdrawn", async (t) => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, directory: dir, networkFlags: at, env, payerFlags: payer } = scene;
  const note = await net.deposit("native-0.1");
  const id = noteId(note);
  const storeAt = async (name: string) => {
    const store = { ...env, TONADO_NOTES: `${dir}/${name}.age` };
    const { code, stderr } = await runCli(["note", "restore"], store, { secrets: [formatNote(note)] });
    assert.equal(code, 0, stderr);
    return store;
  };
  const [mine, other] = [await storeAt("mine"), await storeAt("other")];
  using phone = new Phone(net.user);
  const deposit = (store: typeof env, ...more: string[]) =>
    runCli(["deposit", "--note", id, ...at, ...more], store, {
      onStdout(text) {
        const [link] = CONNECT_LINK.exec(text) ?? [];
        if (link) void phone.open(link);
      },
    });

  await t.step("before the withdrawal, it is found in the pool", async () => {
    const { code, stdout, stderr } = await deposit(other, ...payer, "--yes");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /deposited as leaf 0/);
  });

  await t.step("before the withdrawal, it is found without a phone", async () => {
    const { code, stdout, stderr } = await deposit(await storeAt("by-phone-before"), "--connect", "localnet");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /deposited as leaf 0/);
    assert.doesNotMatch(stdout, CONNECT_LINK);
  });

  const to = ["--to", `0:${"e1".repeat(32)}`];
  const paid = await runCli(["withdraw", id, ...at, ...to, "--self", ...payer, "--yes"], mine);
  assert.equal(paid.code, 0, paid.stderr);

  const ways: [string, string[]][] = [["by words", [...payer, "--yes"]], ["by a phone", [
    "--connect",
    "localnet",
    "--json",
  ]]];
  for (const [way, args] of ways) {
    await t.step(`${way}, in an empty store: the withdrawal is reported, and nothing is sent`, async () => {
      const store = await storeAt(way.replaceAll(" ", "-"));
      const leaves = await net.contract("native-0.1").getNextIndex();
      const seqno = (await net.chain.account(net.user.address)).last?.hash;
      const { code, stdout, stderr } = await deposit(store, ...args);
      assert.deepEqual([code, phone.requests], [1, 0], stderr);
      assert.match(stderr, /was deposited as leaf 0 and has already been withdrawn; nothing was sent/);
      assert.doesNotMatch(stdout, CONNECT_LINK);
      assert.doesNotMatch(stdout + stderr, /Wait for more deposits|to continue|ton:\/\/|"event":"deposited"/);
      assert.equal(await net.contract("native-0.1").getNextIndex(), leaves);
      assert.equal((await net.chain.account(net.user.address)).last?.hash, seqno);
      assert.match((await runCli(["note", "show"], store)).stdout, /withdrawn/);
    });
  }

  await t.step("the same in a store that knows only the deposit", async () => {
    const { code, stdout, stderr } = await deposit(other);
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, /has already been withdrawn/);
  });
});
