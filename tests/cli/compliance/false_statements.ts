/** Refuses statements that contradict the chain or their proof. */
import assert from "node:assert/strict";
import { type ComplianceStatement } from "../../../src/core/protocol/compliance.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { verifyComplianceReport } from "../../../src/client/compliance/verify_report.ts";
import { type ReportedScene } from "./scene.ts";

type Test = Deno.TestContext;

/** Changes a report's statements, and proves them where their owner can. */
export async function refuseFalseStatements(t: Test, scene: ReportedScene): Promise<void> {
  const { notes, failures, statement } = scene;
  await t.step("a report altered anywhere fails by its proof", () => refusesAltered(scene));
  for (const [name, stated, reason] of falseStatements(scene)) {
    await t.step(
      `a statement that contradicts the chain is detected, even with a valid proof: ${name}`,
      async () => {
        assert.match((await failures(stated)).replace(/^proof: .*\n/, ""), reason);
      },
    );
  }
  await t.step(
    "a pool in the registry is refused if its code is not this build's",
    () => refusesForeignCode(scene),
  );
  await t.step(
    "a false statement with a valid proof is detected by the chain alone",
    () => refusesProvenFalse(scene),
  );
  await t.step("a deposit and a withdrawal of two notes cannot be proved to be one", async () => {
    const stated = { ...statement, nullifierHash: fieldToHex(notes[1].nullifierHash) };
    for (const note of notes) {
      await assert.rejects(scene.prove(stated, note), { code: "constraints_unsatisfied" });
    }
  });

  await t.step("a report for other keys is distinguished from an altered one", async () => {
    const stated = { ...statement, vkeyHash: "0".repeat(64) };
    assert.match(await failures(stated), /^proof: it was made with the keys 000000000000, .* the release/);
  });
}

async function refusesAltered(
  { notes, failures, statement, withdrawal, other }: ReportedScene,
): Promise<void> {
  const altered: ComplianceStatement[] = [
    { ...statement, purpose: "another bank" },
    { ...statement, madeAt: statement.madeAt + 1 },
    { ...statement, commitment: fieldToHex(notes[1].commitment) },
    { ...statement, nullifierHash: fieldToHex(notes[1].nullifierHash) },
    { ...statement, withdrawal: { ...withdrawal, recipient: other } },
  ];
  for (const each of altered) assert.match(await failures(each), /^proof: it is invalid/);
}

/** Statements that contradict the chain, with the failures that they cause. */
function falseStatements(
  { net, statement, deposit, withdrawal, other }: ReportedScene,
): [name: string, ComplianceStatement, RegExp][] {
  return [
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
}

async function refusesForeignCode({ net, report, against, statement }: ReportedScene): Promise<void> {
  const address = net.user.address;
  const codeHash = (await net.chain.account(address)).code!.hash().toString("hex");
  const pools = new Map([["native-1", { ...net.pool("native-1"), address, codeHash }]]);
  const stated = { ...statement, pool: { ...statement.pool, address: address.toString() } };
  const checks = await verifyComplianceReport({ ...report, statement: stated }, {
    ...against,
    deployments: { network: "localnet", pools },
  });
  assert.match(checks[1].detail, /^the contract at the address is not a pool that this program knows$/);
}

async function refusesProvenFalse(
  { notes, failures, prove, statement, deposit, withdrawal, other }: ReportedScene,
): Promise<void> {
  const stated = {
    ...statement,
    deposit: { ...deposit, depositor: other },
    withdrawal: { ...withdrawal, recipient: other, paid: "1000000000", fee: "0" },
  };
  assert.match(
    await failures(stated, await prove(stated, notes[0])),
    /^deposit: depositor: [^;]*\nwithdrawal: recipient: [^;]*; fee: [^;]*; paid amount: [^;]*$/,
  );
}
