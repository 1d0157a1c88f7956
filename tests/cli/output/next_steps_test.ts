/** The next steps in error messages are possible and solve the problem. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { DepositView } from "../../../src/cli/output/payment/deposit_view.ts";
import { WithdrawView } from "../../../src/cli/output/withdraw_view.ts";
import type { NoteRecord } from "../../../src/client/notes/note_store.ts";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import { Problem } from "../../../src/core/errors/problem.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { noteStoreFile } from "../../../src/client/notes/files/note_store_file.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const PASSPHRASE = "correct horse battery";
const dir = await Deno.makeTempDir({ prefix: "tonado-next-" });
const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: PASSPHRASE };
const on = ["--network", "localnet"];

const fails = async (args: string[], status: number, next: RegExp, never: RegExp) => {
  const { code, stderr, stdout } = await runCli(args, env);
  assert.match(stderr, next);
  assert.doesNotMatch(stderr, never);
  assert.deepEqual([code, stdout], [status, ""], stderr);
};

Deno.test("without a note store, the next step is not to list notes", () =>
  fails(
    ["note", "show"],
    1,
    /--notes or TONADO_NOTES.*`tonado deposit <pool>`.*`tonado note restore <file>`/,
    /lists the notes/,
  ));

Deno.test("for an unknown pool, the next step lists the known pools", () =>
  fails(["pool", "inspect", "nativ-10"], 2, /`tonado pool list --network testnet`/, /standard TON address/));

Deno.test("a folder without a ceremony is not reported as a failed ceremony", () =>
  fails(["ceremony", "verify", dir], 1, /begin one with `tonado ceremony init`/, /Build nothing on it/));

Deno.test("no entropy is requested if there is no ceremony", async () => {
  const { prompts: requests, stderr } = await runCli(
    ["ceremony", "contribute", `${dir}/none`, "--name", "A"],
    env,
    {
      secrets: ["dice"],
    },
  );
  assert.deepEqual([requests, /tonado ceremony init/.test(stderr)], [[], true], stderr);
});

Deno.test("a deposit without a pool, with an empty registry, names the missing flag", () =>
  fails(
    ["deposit", "--network", "mainnet"],
    2,
    /has no pools on mainnet: choose another --network/,
    /one of none/,
  ));

Deno.test("an address for test networks is refused as a recipient on mainnet", async () => {
  const test = Address.parse(`0:${"77".repeat(32)}`).toString({ testOnly: true });
  const args = ["withdraw", "2f81", "--to", test];
  await fails([...args, "--network", "mainnet"], 2, /invalid_address/, /unknown_note|wrong_pool/);
  const { stderr } = await runCli([...args, "--network", "testnet"], env);
  assert.doesNotMatch(stderr, /invalid_address/);
});

Deno.test("a payment that the pool returned is reported with its wallet, the reason and what to do", () => {
  const sender = Address.parse(`0:${"77".repeat(32)}`);
  const cases = [
    ["ERR_WRONG_DENOMINATION", /its amount was not exact\. Pay exactly the amount above/],
    ["ERR_PAUSED", /paused\. Pay again when it accepts/],
    ["ERR_QUEUE_FULL", /wait for settlement\. Pay again later/],
    ["ERR_POOL_FULL", /full\. Use another pool/],
    ["too little value", /too little value\. Pay again/],
  ] as const;
  for (const [reason, next] of cases) {
    let output = "";
    const stdout = { isTerminal: false, columns: 80, write: (text: string) => void (output += text) };
    new DepositView({ stderr: stdout, stdout, env: {} } as never, { network: "testnet" }, "2f81")
      .showTransferStep({ step: "refused", reason, sender });
    assert.match(output, next);
    const wallet = sender.toString({ bounceable: false, testOnly: true });
    assert.ok(output.includes(`returned a payment to ${wallet}, less fees`), output);
    assert.match(output, /ask the exchange to credit you/);
  }
});

Deno.test("the command to continue has every flag that changes the result, and no secret", () => {
  const line = (act: (context: never) => void) => {
    let output = "";
    const stderr = { isTerminal: false, columns: 80, write: (text: string) => void (output += text) };
    act({ stderr, stdout: stderr, env: {} } as never);
    return output;
  };
  const from = Address.parse(`0:${"77".repeat(32)}`);
  const payer = { askMnemonic: true, walletVersion: "v5R1" } as const;
  const phone = { connect: "tonkeeper", manifest: "https://app.example/m.json" };
  const output = line((context) =>
    new DepositView(context, { network: "testnet", ...payer, ...phone, relayer: "https://r.example" }, "2f81")
      .showNextSteps(new Problem("cancelled"))
  );
  for (
    const flag of [
      "--ask-mnemonic",
      "--wallet-version v5R1",
      "--connect tonkeeper",
      "--manifest https://app.example/m.json",
      "--relayer https://r.example",
    ]
  ) {
    assert.ok(output.includes(flag), output);
  }
  const deployment = { asset: "native", denomination: 1n } as Deployment;
  const record = { id: "2f81", state: "deposited" } as NoteRecord;
  const options = {
    network: "testnet",
    ...payer,
    fast: true,
    refund: "0.1",
    maxFee: "1",
    self: true,
    recipientCheck: false,
  } as const;
  const again = line((context) =>
    new WithdrawView(context, options, record, deployment).showNextSteps(new Error(), record, from)
  );
  for (
    const flag of [
      "--ask-mnemonic",
      "--wallet-version v5R1",
      "--fast",
      "--refund 0.1",
      "--max-fee 1",
      "--self",
      "--no-recipient-check",
    ]
  ) {
    assert.ok(again.includes(flag), again);
  }
});

Deno.test("for a pool that the registry lacks, the next step is another registry", () =>
  fails(["note", "create", "native-7"], 2, /`tonado pool list`/, /asset, amount and network/));

Deno.test("without notes, neither a backup nor a page is written", async () => {
  await (await noteStoreFile(env.TONADO_NOTES, { workFactor: 8 }).open(new Secret(PASSPHRASE))).add([]);
  for (const more of [[], ["--page"], ["--page", "--plain"]]) {
    const file = `${dir}/backup`;
    await fails(["note", "backup", file, ...more], 1, /nothing was written/, /0 notes/);
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  }
  const { stdout } = await runCli(["note", "show"], env);
  assert.match(stdout, /tonado deposit <pool>`; `tonado pool list`/);
});

Deno.test("a single note is reported in the singular, and searched on its own network", async () => {
  const note = createNote({ asset: "native", amount: "1", network: "localnet" });
  const restored = await runCli(["note", "restore"], env, { secrets: [formatNote(note)] });
  assert.equal(
    restored.stdout,
    "1 of 1 note is new here\nTo check them: tonado note check --network localnet --registry <file>\n" +
      "The registry file is the one that you used to deposit: these pools are in no default registry.\n",
  );
  const { stdout } = await runCli(["note", "backup", `${dir}/one.age`], env);
  assert.match(stdout, /^1 note written to /);
});

Deno.test("a store that another process uses may be free later: exit code 3", async () => {
  const store = await noteStoreFile(env.TONADO_NOTES, { workFactor: 8 }).open(new Secret(PASSPHRASE));
  using _ = await store.lockForWork();
  const to = Address.parse(`0:${"77".repeat(32)}`).toString();
  await Deno.writeTextFile(`${dir}/localnet.json`, JSON.stringify({ network: "localnet", pools: {} }));
  const at = [...on, "--registry", `${dir}/localnet.json`, "--endpoint", "http://127.0.0.1:9"];
  await fails(["withdraw", "--to", to, ...at], 3, /\[note_store_in_use\]/, /unknown_note/);
});

Deno.test("for a withdrawn note, the next step is not to continue", async () => {
  const store = await noteStoreFile(env.TONADO_NOTES, { workFactor: 8 }).open(new Secret(PASSPHRASE));
  const [{ id }] = await store.list();
  await store.update(id, { state: "withdrawn" });
  await Deno.writeTextFile(`${dir}/localnet.json`, JSON.stringify({ network: "localnet", pools: {} }));
  const at = [...on, "--registry", `${dir}/localnet.json`, "--endpoint", "http://127.0.0.1:9"];
  await fails(
    ["withdraw", id, ...at],
    1,
    new RegExp(
      `A note can be withdrawn only once. Run .tonado note check ${id} --network localnet --endpoint http://127.0.0.1:9 `,
    ),
    /to continue|member .withdrawal./,
  );
  await fails(["note", "backup", `${dir}/p.html`, "--page"], 1, /no note that is not withdrawn/, /0 notes/);
  await fails(
    ["withdraw", ...at],
    1,
    /`tonado note check --network localnet` checks the chain for deposits/,
    /say which/,
  );
  await fails(
    ["deposit", "--resume", ...at],
    1,
    /tonado deposit <pool> --network localnet/,
    /lists the notes/,
  );
});

Deno.test("the notes' directory is removed", () => Deno.remove(dir, { recursive: true }));
