/** A pool with deposits and withdrawals, and the owner's report of one withdrawal. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import {
  compliancePublicSignals,
  type ComplianceStatement,
  parseComplianceReport,
} from "../../../src/core/protocol/compliance.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import type { Note } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { verifyComplianceReport } from "../../../src/client/compliance/verify_report.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

export type ComplianceScene = Awaited<ReturnType<typeof openScene>>;

const recipient = `0:${"1a".repeat(32)}`;

/** Deposits three notes, withdraws the first through a relayer and the second without one. */
export async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, directory: dir, networkFlags: at, env, payerFlags: payer, api } = fixture;
  const relayer = stack.use(startRelayerProxy(api));
  const notes = await fixture.depositNotes(3);
  const [relayed, own, unspent] = notes.map(noteId);
  const withdraw = async (id: string, ...args: string[]) => {
    const { code, stderr } = await runCli(["withdraw", id, ...at, "--to", recipient, "--yes", ...args], env);
    assert.equal(code, 0, stderr);
  };
  await withdraw(relayed, "--relayer", relayer.url);
  await withdraw(own, "--self", ...payer);
  const open = stack.move();
  return {
    net,
    dir,
    at,
    env,
    payer,
    relayer,
    notes,
    relayed,
    unspent,
    recipient,
    withdraw,
    out: `${dir}/report.json`,
    page: `${dir}/report.html`,
    verify: (file: string, ...args: string[]) => runCli(["compliance", "verify", file, ...at, ...args]),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type ReportedScene = Awaited<ReturnType<typeof openReport>>;

/** Reads the report that the scene's owner has made. */
export async function openReport({ net, notes, out }: ComplianceScene) {
  const report = parseComplianceReport(JSON.parse(await Deno.readTextFile(out)));
  const against = { chain: net.chain, deployments: net.localnet.deployments, prover: net.prover };
  const failures = async (statement: ComplianceStatement, proof = report.proof) =>
    (await verifyComplianceReport({ ...report, statement, proof }, against))
      .filter(({ verdict }) => verdict === "failed").map(({ name, detail }) => `${name}: ${detail}`).join(
        "\n",
      );
  /** Proves a statement as its owner, who can also prove a false one. */
  const prove = async (statement: ComplianceStatement, { nullifier, secret }: Note) => {
    const [root, nullifierHash, bound] = compliancePublicSignals(statement).map(BigInt);
    const none = { relayer: 0n, fee: 0n, refund: 0n };
    const input = { root, nullifierHash, recipient: bound, ...none, nullifier, secret };
    return (await net.prover.proveWithdraw({ ...input, ...new MerkleTree().nextLeafPath() })).proof;
  };
  const { statement } = report;
  const other = Address.parse(`0:${"2b".repeat(32)}`).toString();
  return {
    net,
    notes,
    report,
    against,
    failures,
    prove,
    statement,
    deposit: statement.deposit,
    withdrawal: statement.withdrawal,
    other,
  };
}
