/** `tonado compliance` and `tonado pool stats`: what an owner shows and an auditor reads, against a pool that was used. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import {
  compliancePublicSignals,
  type ComplianceStatement,
  parseComplianceReport,
} from "../../../src/core/protocol/compliance.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import type { Note } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { verifyComplianceReport } from "../../../src/client/compliance/verify_report.ts";
import { readPoolStats } from "../../../src/ops/audit/pool_stats.ts";
import { waitUntil, withMethods } from "../../support/relayer/relayer_harness.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

Deno.test("tonado compliance and pool stats", async (t) => {
  await using scene = await startCliFixture();
  const { net, directory: dir, networkFlags: at, env, payerFlags: payer, api } = scene;
  await using relayer = startRelayerProxy(api);
  const notes = await scene.depositNotes(3);
  const [mine, own, unspent] = notes.map(noteId);
  const recipient = `0:${"1a".repeat(32)}`;
  const withdraw = async (id: string, ...args: string[]) => {
    const { code, stderr } = await runCli(["withdraw", id, ...at, "--to", recipient, "--yes", ...args], env);
    assert.equal(code, 0, stderr);
  };
  await withdraw(mine, "--relayer", relayer.url);
  await withdraw(own, "--self", ...payer);
  const [out, page] = [`${dir}/report.json`, `${dir}/report.html`];
  const verify = (file: string, ...args: string[]) => runCli(["compliance", "verify", file, ...at, ...args]);

  await t.step("a note that is not withdrawn gets no report", async () => {
    const { code, stderr, stdout } = await runCli(
      ["compliance", "report", unspent, "--for", "x", ...at],
      env,
    );
    assert.deepEqual([code, /note_unspent/.test(stderr), stdout], [1, true, ""], stderr);
  });

  await t.step("a report says what the chain says, and holds, as JSON and as a page", async () => {
    const files = ["--out", out, "--page", page, "--json"];
    const purpose = 'bank "of" <b>&amp;</b> `x`';
    const made = await runCli(["compliance", "report", mine, "--for", purpose, ...files, ...at], env);
    assert.equal(made.code, 0, made.stderr);
    const { statement } = JSON.parse(made.stdout);
    assert.deepEqual(statement, JSON.parse(await Deno.readTextFile(out)).statement);
    assert.ok(Address.parse(statement.deposit.depositor).equals(net.user.address));
    assert.ok(Address.parse(statement.withdrawal.recipient).equals(Address.parse(recipient)));
    assert.ok(Address.parse(statement.withdrawal.relayer).equals(net.relayerAddress));
    const { fee, paid } = statement.withdrawal;
    assert.deepEqual([statement.deposit.leafIndex, fee, paid], [0, "50000000", "950000000"]);
    for (const file of [out, page]) {
      const { code, stdout, stderr } = await verify(file, "--json");
      assert.equal(code, 0, stderr);
      const { holds, checks } = JSON.parse(stdout);
      assert.deepEqual(
        checks.map(({ name, verdict }: Record<string, string>) => [name, verdict]),
        [["proof", "warning"], ["pool", "ok"], ["deposit", "ok"], ["withdrawal", "ok"], ["spent", "ok"]],
      );
      assert.ok(holds);
    }
    const text = await verify(out);
    assert.match(text.stdout, /paid +0\.95 TON\n/);
    assert.match(
      (await verify(out, "--quiet")).stdout,
      /^ {2}warning +proof .*was made with development keys.*development keys, insecure\n$/,
    );
  });

  await t.step("both files are written or neither: existing files are reported first", async () => {
    const fresh = `${dir}/fresh.json`;
    const targets: [string[], number, RegExp][] = [
      [["--out", fresh, "--page", page], 2, /--page: \S+report\.html already exists and is not replaced/],
      [["--out", out, "--page", fresh], 2, /--out: \S+report\.json already exists and is not replaced/],
      [["--out", fresh, "--page", `${dir}/./fresh.json`], 2, /--page: names the same file as --out/],
      [
        ["--out", fresh, "--page", `${out}/page.html`],
        1,
        /--page: \S+ cannot be written: .*\[write_failed\]/,
      ],
    ];
    for (const [files, status, says] of targets) {
      const args = ["compliance", "report", mine, "--for", "x", ...files, ...at];
      const { code, stdout, stderr } = await runCli(args, env);
      assert.match(stderr, says);
      assert.deepEqual([code, stdout], [status, ""]);
      await assert.rejects(Deno.lstat(fresh), Deno.errors.NotFound);
    }
  });

  await t.step("neither JSON nor page holds a secret, or anything of another note", async () => {
    for (const file of [out, page]) {
      const text = await Deno.readTextFile(file);
      for (const note of notes) {
        for (const secret of [note.nullifier, note.secret]) {
          assert.ok(!text.includes(String(secret)) && !text.includes(secret.toString(16)));
        }
        if (note === notes[0]) continue;
        for (const each of [note.commitment, note.nullifierHash]) assert.ok(!text.includes(fieldToHex(each)));
      }
    }
  });

  await t.step("the page runs nothing, loads nothing, and its maker's words stay words", async () => {
    const html = await Deno.readTextFile(page);
    assert.doesNotMatch(html, /<script|<link|<img|<iframe|src=|href=|url\(|https?:/i);
    assert.match(html, /class="warning">This report was made with development keys/);
    assert.match(html, /@page \{ margin: [\d.]+cm; \}/);
    assert.ok(!html.includes("<b>") && html.includes("&#60;b&#62;"));
    assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
  });

  await t.step("a backup page leaves out notes that are withdrawn", async () => {
    const args = ["note", "backup", `${dir}/notes.html`, "--page", "--json"];
    assert.equal(JSON.parse((await runCli(args, env)).stdout).notes, 1);
  });

  const report = parseComplianceReport(JSON.parse(await Deno.readTextFile(out)));
  const against = { chain: net.chain, deployments: net.localnet.deployments, prover: net.prover };
  const failures = async (statement: ComplianceStatement, proof = report.proof) =>
    (await verifyComplianceReport({ ...report, statement, proof }, against))
      .filter(({ verdict }) => verdict === "failed").map(({ name, detail }) => `${name}: ${detail}`).join(
        "\n",
      );
  /** What an owner can prove who tells something else than what happened. */
  const prove = async (statement: ComplianceStatement, { nullifier, secret }: Note) => {
    const [root, nullifierHash, bound] = compliancePublicSignals(statement).map(BigInt);
    const none = { relayer: 0n, fee: 0n, refund: 0n };
    const input = { root, nullifierHash, recipient: bound, ...none, nullifier, secret };
    return (await net.prover.proveWithdraw({ ...input, ...new MerkleTree().nextLeafPath() })).proof;
  };
  const { statement } = report;
  const { deposit, withdrawal } = statement;
  const other = Address.parse(`0:${"2b".repeat(32)}`).toString();

  await t.step("a report altered anywhere fails by its proof", async () => {
    const altered: ComplianceStatement[] = [
      { ...statement, purpose: "another bank" },
      { ...statement, madeAt: statement.madeAt + 1 },
      { ...statement, commitment: fieldToHex(notes[1].commitment) },
      { ...statement, nullifierHash: fieldToHex(notes[1].nullifierHash) },
      { ...statement, withdrawal: { ...withdrawal, recipient: other } },
    ];
    for (const each of altered) assert.match(await failures(each), /^proof: it is invalid/);
  });

  const lies: [string, ComplianceStatement, RegExp][] = [
    [
      "another recipient",
      { ...statement, withdrawal: { ...withdrawal, recipient: other } },
      /^withdrawal: recipient: the report has 0:2b/,
    ],
    [
      "more than was paid",
      { ...statement, withdrawal: { ...withdrawal, paid: "1000000000" } },
      /^withdrawal: paid amount: the report has 1000000000, the chain 950000000$/,
    ],
    [
      "no relayer, no fee",
      { ...statement, withdrawal: { ...withdrawal, relayer: null, fee: "0" } },
      /^withdrawal: relayer: the report has none, .*; fee: the report has 0, the chain 50000000$/,
    ],
    [
      "another depositor",
      { ...statement, deposit: { ...deposit, depositor: other } },
      /^deposit: depositor: the report has 0:2b/,
    ],
    [
      "another day",
      { ...statement, deposit: { ...deposit, timestamp: deposit.timestamp - 86_400 } },
      /^deposit: time: /,
    ],
    [
      "another transaction",
      { ...statement, withdrawal: { ...withdrawal, tx: deposit.tx } },
      /^withdrawal: transaction: /,
    ],
    [
      "another denomination",
      { ...statement, pool: { ...statement.pool, denomination: "2000000000", amount: "2" } },
      /^pool: denomination: the report has 2000000000, the chain 1000000000; amount: /,
    ],
    [
      "another pool",
      {
        ...statement,
        pool: {
          ...statement.pool,
          address: net.pool("native-10").address.toString(),
          amount: "10",
          denomination: "10000000000",
        },
      },
      /^deposit: .* no deposit .*\nwithdrawal: .* no such .*\nspent: the pool does not report this nullifier hash as spent/,
    ],
    [
      "a wallet as its pool",
      { ...statement, pool: { ...statement.pool, address: net.user.address.toString() } },
      /^pool: the contract at the address is not a pool that this program knows$/,
    ],
    [
      "nothing as its pool",
      { ...statement, pool: { ...statement.pool, address: other } },
      /^pool: there is no contract at the address$/,
    ],
  ];
  for (const [lie, said, reason] of lies) {
    await t.step(
      `a statement that contradicts the chain is detected, even with a valid proof: ${lie}`,
      async () => {
        assert.match((await failures(said)).replace(/^proof: .*\n/, ""), reason);
      },
    );
  }

  await t.step("a registry vouches for no other code than this build's", async () => {
    const address = net.user.address;
    const codeHash = (await net.chain.account(address)).code!.hash().toString("hex");
    const pools = new Map([["native-1", { ...net.pool("native-1"), address, codeHash }]]);
    const said = { ...statement, pool: { ...statement.pool, address: address.toString() } };
    const checks = await verifyComplianceReport({ ...report, statement: said }, {
      ...against,
      deployments: { network: "localnet", pools },
    });
    assert.match(checks[1].detail, /^the contract at the address is not a pool that this program knows$/);
  });

  await t.step("an owner who proves a lie is found out by the chain alone", async () => {
    const said = {
      ...statement,
      deposit: { ...deposit, depositor: other },
      withdrawal: { ...withdrawal, recipient: other, paid: "1000000000", fee: "0" },
    };
    assert.match(
      await failures(said, await prove(said, notes[0])),
      /^deposit: depositor: [^;]*\nwithdrawal: recipient: [^;]*; fee: [^;]*; paid amount: [^;]*$/,
    );
  });

  await t.step("a deposit and a withdrawal of two notes cannot be proved to be one", async () => {
    const said = { ...statement, nullifierHash: fieldToHex(notes[1].nullifierHash) };
    for (const note of notes) await assert.rejects(prove(said, note), { code: "constraints_unsatisfied" });
  });

  await t.step("a report for other keys is distinguished from an altered one", async () => {
    const said = { ...statement, vkeyHash: "0".repeat(64) };
    assert.match(await failures(said), /^proof: it was made with the keys 000000000000, .* the release/);
  });

  await t.step(
    "a page that shows something else than its data is refused, and so are other files",
    async () => {
      const html = await Deno.readTextFile(page);
      const files: [string, string, number, RegExp][] = [
        ["page.html", html.replace("0.95 TON", "9.95 TON"), 1, /invalid_report/],
        ["data.html", html.replace("950000000", "9950000000"), 1, /invalid_report/],
        ["some.txt", "hello", 1, /neither a report's JSON nor its page/],
        [
          "twice.json",
          JSON.stringify(report).replace('"purpose":', '"purpose":"a charity","purpose":'),
          1,
          /an object in it has two members of one name \[invalid_report\]/,
        ],
        ["half.json", JSON.stringify({ ...report, proof: undefined }), 1, /\/proof/],
        [
          "lie.json",
          JSON.stringify({ ...report, statement: { ...statement, purpose: "y" } }),
          1,
          /the report fails: proof \[report_verification_failed\]/,
        ],
      ];
      const jq = `${dir}/jq.json`; // in another form, and the same
      await Deno.writeTextFile(jq, JSON.stringify(report, null, "\t").replaceAll("/", "\\/"));
      assert.equal((await verify(jq)).code, 0);
      for (const [name, text, status, says] of files) {
        assert.notEqual(text, html);
        await Deno.writeTextFile(`${dir}/${name}`, text);
        const { code, stderr } = await verify(`${dir}/${name}`);
        assert.match(stderr, says);
        assert.equal(code, status);
      }
      const { code, stderr } = await runCli(["compliance", "verify", out, "--network", "mainnet"]);
      assert.deepEqual([code, /the report is for localnet/.test(stderr)], [2, true], stderr);
    },
  );

  await t.step("pool stats counts what happened, and what relayers took", async () => {
    const { code, stdout, stderr } = await runCli(["pool", "stats", "native-1", ...at, "--json"]);
    assert.equal(code, 0, stderr);
    const { pools: [pool] } = JSON.parse(stdout);
    const { deposits, withdrawals, unspent, held, relayed, relayers, fees, feesTotal } = pool;
    assert.deepEqual([deposits, withdrawals, unspent, held], [3, 2, 1, "1000000000"]);
    assert.deepEqual([relayed, relayers, feesTotal], [1, 1, "50000000"]);
    assert.deepEqual(fees, { least: "50000000", median: "50000000", greatest: "50000000" });
    assert.deepEqual(pool.activity.day, { seconds: 86_400, deposits: 3, withdrawals: 2 });
    assert.deepEqual(pool.latest.map(({ kind }: { kind: string }) => kind), [
      ...["withdrawal", "withdrawal", "deposit", "deposit", "deposit"],
    ]);
    const text = await runCli(["pool", "stats", ...at, "--latest", "1"]);
    assert.match(text.stdout, /native-1 on localnet\n +holds +1 unspent note, 1 TON\n/);
    assert.match(text.stdout, /withdrawals +2, 1 of them through 1 relayer\n/);
    assert.match(text.stdout, /fees +median 0\.05 TON, /);
    assert.equal(text.stdout.match(/Z withdrawal/g)?.length, 1);
    const quiet = await runCli(["pool", "stats", ...at, "--quiet"]);
    assert.ok(quiet.stdout.includes("native-1 1\n") && quiet.stdout.includes("native-10 0\n"));
    const wrong = await runCli(["pool", "stats", "native-1", ...at, "--latest", "-1"]);
    assert.deepEqual([wrong.code, /from 0 to 9999/.test(wrong.stderr)], [2, true]);
  });

  await t.step("of jettons a report names their owner, and amounts in the jetton", async () => {
    const put = await runCli(["deposit", "jet-10", ...at, ...payer, "--yes", "--quiet"], env);
    assert.equal(put.code, 0, put.stderr);
    const id = put.stdout.trim();
    await waitUntil("the relayer knows it", () => net.relayer.readiness().pools["jet-10"].leaves === 1);
    await withdraw(id, "--relayer", relayer.url);
    const file = `${dir}/jetton.json`;
    const made = await runCli(["compliance", "report", id, "--for", "x", "--out", file, ...at], env);
    assert.equal(made.code, 0, made.stderr);
    const { statement: said } = JSON.parse(await Deno.readTextFile(file));
    assert.ok(Address.parse(said.deposit.depositor).equals(net.user.address));
    assert.deepEqual([said.pool.asset, said.pool.decimals, said.withdrawal.fee], ["jet", 6, "50000"]);
    const { code, stdout, stderr } = await verify(file);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /paid +9\.95 jet\n/);
    const renamed = { ...said, pool: { ...said.pool, asset: "usd" } };
    assert.match(await failures(renamed), /pool: asset: the report has usd, the chain jet/);
  });

  await t.step("pool stats refuses a history that lacks what the pool counts", async () => {
    const { address } = net.pool("native-1");
    const old = (await net.chain.transactions(address, { limit: 3 }))[2].id;
    const behind = withMethods(net.chain, {
      account: async (...args) => ({ ...await net.chain.account(...args), last: old }),
    });
    await assert.rejects(readPoolStats(behind, address, { latest: 0 }), { code: "chain_inconsistent" });
  });
});
