import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { beginCell } from "@ton/core";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import {
  emptyProver,
  jettonMaster,
  jettonWalletOf,
  poolAddress,
  ScriptedPool,
  testAddress,
  transferNotification,
} from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import { withdrawCircuit } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { ComplianceReport } from "../../core/protocol/compliance.ts";
import type { Deployment, Deployments } from "../../core/protocol/deployments.ts";
import { createNote, type Note, placeNote } from "../../core/protocol/note.ts";
import { DEVELOPMENT_LABEL } from "../../prover/artifacts.ts";
import type { Prover } from "../../prover/prover.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import { loadPoolCode } from "../../ton/pool/state_init.ts";
import { createComplianceReport } from "./create_report.ts";
import { verifyComplianceReport } from "./verify_report.ts";

const depositor = testAddress(1);
const relayer = testAddress(2);
const recipient = testAddress(3);
const NOW = 1_800_000_123_456;
const KEYS = "ab".repeat(32);
const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const note2 = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });
const jettonNote = createNote({ asset: "jet", amount: "10", network: "localnet" });
const jettonNote2 = createNote({ asset: "jet", amount: "10", network: "localnet", version: 2 });

function proverWith(change: object = {}, version: 1 | 2 = 1) {
  const proved: Record<string, unknown>[] = [];
  const prove = (input: Record<string, unknown>) => {
    proved.push(input);
    return emptyProver.proveWithdraw(input as unknown as Parameters<Prover["proveWithdraw"]>[0]);
  };
  const prover = {
    [version === 1 ? "proveWithdraw" : "proveWithdraw2"]: prove,
    ...{ label: "the ceremony", verify: () => Promise.resolve(true) },
    vkeyHash: { [withdrawCircuit(1)]: KEYS, [withdrawCircuit(2)]: KEYS },
    ...change,
  } as unknown as Prover;
  return { prover, proved };
}

function sceneOf(kind: 0 | 1 | 2 | 3) {
  const denomination = kind === 1 || kind === 3 ? 10_000_000n : 10_000_000_000n;
  const scene = new ScriptedPool({ kind, denomination });
  const file = (["native", "jetton", "native2", "jetton2"] as const)[kind];
  scene.accounts[poolAddress.toRawString()] = { code: loadPoolCode(file).code };
  scene.pass(60_000);
  scene.deposit(99n);
  return scene;
}

function pay(
  scene: ScriptedPool,
  { nullifierHash }: Pick<Note, "nullifierHash">,
  by: typeof relayer | null = relayer,
) {
  scene.pass(60_000);
  scene.spent.add(nullifierHash);
  const log = { nullifierHash, fee: by ? 70n : 0n, refund: 5n, recipient, relayer: by };
  scene.add(poolAddress, { from: relayer, logs: [withdrawalLog(log)] });
}

function create(scene: ScriptedPool, of: Note = note, change: object = {}) {
  const { prover, proved } = proverWith({}, of.version);
  const pool = openPool(scene.chain, poolAddress, of.version);
  const request = { pool, network: "localnet", note: of, prover, purpose: "Example Bank", now: NOW } as const;
  return { report: createComplianceReport({ ...request, ...change }), proved };
}

type Part = "pool" | "deposit" | "withdrawal";

function alter(report: ComplianceReport, part: Part, change: Record<string, unknown>): ComplianceReport {
  const { statement } = report;
  return { ...report, statement: { ...statement, [part]: { ...statement[part], ...change } } };
}

const noPools: Deployments = { network: "localnet", pools: new Map() };
const listed = (entry: Partial<Deployment> = {}): Deployments => ({
  network: "localnet",
  pools: new Map([["it", { address: poolAddress, asset: "native", ...entry } as Deployment]]),
});

async function verify(
  scene: ScriptedPool,
  report: ComplianceReport,
  { deployments = listed(), prover = proverWith().prover } = {},
) {
  const checks = await verifyComplianceReport(report, { chain: scene.chain, deployments, prover });
  return Object.fromEntries(checks.map(({ name, verdict, detail }) => [name, { verdict, detail }]));
}
const verdicts = (checks: Awaited<ReturnType<typeof verify>>) =>
  Object.values(checks).map(({ verdict }) => verdict).join(" ");

async function usedScene() {
  const scene = sceneOf(0);
  scene.deposit(note.commitment, { from: depositor });
  pay(scene, note);
  return { scene, report: await create(scene).report };
}

Deno.test("a report states deposit and withdrawal as the pool logged them", async () => {
  const { scene, report: { statement, format, version } } = await usedScene();
  deepEqual([format, version, statement.network, statement.madeAt], [
    "tonado-compliance",
    1,
    "localnet",
    1_800_000_123,
  ]);
  const text = (address: typeof relayer) => address.toString({ bounceable: false, testOnly: true });
  deepEqual(statement.pool, {
    address: poolAddress.toString({ bounceable: true, testOnly: true }),
    ...{ asset: "native", amount: "10", decimals: 9, denomination: "10000000000" },
  });
  const { tx: _deposited, ...deposit } = statement.deposit;
  const { tx: _paid, ...withdrawal } = statement.withdrawal;
  deepEqual(deposit, { leafIndex: 1, timestamp: scene.chainTime - 60, depositor: text(depositor) });
  deepEqual(withdrawal, {
    ...{ timestamp: scene.chainTime, recipient: text(recipient), relayer: text(relayer) },
    ...{ fee: "70", refund: "5", paid: "9999999930" },
  });
  equal(verdicts(await verify(scene, await create(scene).report)), "ok ok ok ok ok");
});

Deno.test("a report holds neither secret nor nullifier, and proves with the fee of no relayer", async () => {
  const { scene } = await usedScene();
  const { report, proved } = create(scene);
  const text = JSON.stringify(await report);
  const { relayer, fee, refund, nullifier, secret, nullifierHash } = proved[0];
  deepEqual([relayer, fee, refund, nullifierHash], [0n, 0n, 0n, note.nullifierHash]);
  deepEqual([nullifier, secret], [note.nullifier, note.secret]);
  for (const hidden of [note.secret, note.nullifier]) {
    equal(text.includes(hidden.toString(16)) || text.includes(String(hidden)), false);
  }
});

Deno.test("a withdrawal without a relayer is stated and verified as one", async () => {
  const scene = sceneOf(0);
  scene.deposit(note.commitment);
  pay(scene, note, null);
  const report = await create(scene).report;
  equal(report.statement.withdrawal.relayer, null);
  equal(verdicts(await verify(scene, report)), "ok ok ok ok ok");
  const invented = alter(report, "withdrawal", { relayer: testAddress(9).toString() });
  equal((await verify(scene, invented)).withdrawal.verdict, "failed");
});

Deno.test("a report needs a purpose, a deposit and a withdrawal of the pool's own note", async () => {
  const scene = sceneOf(0);
  await rejects(create(scene, note, { purpose: "" }).report, { code: "invalid_report" });
  await rejects(create(scene, note, { network: "testnet" }).report, { code: "wrong_pool" });
  await rejects(create(scene).report, { code: "commitment_not_found" });
  scene.deposit(note.commitment);
  await rejects(create(scene).report, { code: "note_unspent" });
});

Deno.test("for a version 2 note with several leaves, the report is about the last withdrawn one", async () => {
  const scene = sceneOf(2);
  await rejects(create(scene, note2).report, { code: "commitment_not_found" });
  for (let i = 0; i < 3; i++) scene.deposit(note2.commitment, { from: depositor });
  await rejects(create(scene, note2).report, { code: "note_unspent" });
  scene.settle();
  pay(scene, placeNote(note2, 1));
  pay(scene, placeNote(note2, 2));
  const report = await create(scene, note2).report;
  deepEqual([report.statement.deposit.leafIndex, report.statement.pool.version], [2, 2]);
  equal(verdicts(await verify(scene, report)), "ok ok ok ok ok");
  const placed = await create(scene, placeNote(note2, 1)).report;
  equal(placed.statement.deposit.leafIndex, 1);
  equal(verdicts(await verify(scene, placed)), "ok ok ok ok ok");
});

for (const [kind, note] of [[1, jettonNote], [3, jettonNote2]] as const) {
  Deno.test(`a report of jettons of version ${note.version} has the jetton's decimals, and the owner of the jettons as the depositor`, async () => {
    const scene = sceneOf(kind);
    const jetton = { asset: "jet", decimals: 6, jettonMaster };
    const body = transferNotification(depositor, 10_000_000n, beginCell().endCell());
    scene.deposit(note.commitment, { from: jettonWalletOf(poolAddress), body });
    if (note.version === 2) scene.settle();
    pay(scene, note.version === 2 ? placeNote(note, 1) : note);
    const report = await create(scene, note, { jetton }).report;
    equal(report.statement.pool.decimals, 6);
    const checks = await verify(scene, report, { deployments: listed({ asset: "jet", decimals: 6 }) });
    equal(verdicts(checks), "ok ok ok ok ok");
    const unlisted = await verify(scene, report, { deployments: noPools });
    equal(verdicts(unlisted), "ok warning ok ok ok");
    match(unlisted.pool.detail, /not in the registry, so the asset's name is unverified/);
    const renamed = await verify(scene, report, { deployments: listed({ asset: "usdt", decimals: 6 }) });
    match(renamed.pool.detail, /asset: the report has jet, the chain usdt/);
    const rescaled = await verify(scene, report, { deployments: listed({ asset: "jet", decimals: 9 }) });
    match(
      rescaled.pool.detail,
      /decimals: the report has 6, the chain 9; amount: the report has 10, the chain 0\.01/,
    );
  });
}

const OTHER = "cd".repeat(32);
const lies: [
  check: string,
  part: Part,
  change: Record<string, unknown>,
  detail: RegExp,
][] = [
  ["pool", "pool", { denomination: "1" }, /denomination: the report has 1, the chain 10000000000/],
  ["pool", "pool", { decimals: 8 }, /decimals: the report has 8, the chain 9/],
  ["pool", "pool", { amount: "11" }, /amount: the report has 11, the chain 10/],
  ["deposit", "deposit", { leafIndex: 0 }, /leaf: the report has 0, the chain 1/],
  ["deposit", "deposit", { timestamp: 1 }, /time: the report has 1, the chain \d+/],
  ["deposit", "deposit", { depositor: testAddress(9).toString() }, /depositor: the report has 0:09/],
  [
    "deposit",
    "deposit",
    { tx: { lt: "1", hash: OTHER } },
    /transaction: the report has cdcd.*; transaction's lt: /,
  ],
  ["withdrawal", "withdrawal", { recipient: testAddress(9).toString() }, /recipient: the report has 0:09/],
  ["withdrawal", "withdrawal", { relayer: testAddress(9).toString() }, /relayer: the report has 0:09/],
  ["withdrawal", "withdrawal", { relayer: null }, /relayer: the report has none, the chain 0:02/],
  ["withdrawal", "withdrawal", { fee: "71" }, /fee: the report has 71, the chain 70/],
  ["withdrawal", "withdrawal", { refund: "6" }, /refund: the report has 6, the chain 5/],
  ["withdrawal", "withdrawal", { paid: "1" }, /paid amount: the report has 1, the chain 9999999930/],
  ["withdrawal", "withdrawal", { timestamp: 1 }, /time: the report has 1, the chain \d+/],
  ["withdrawal", "withdrawal", { tx: { lt: "1", hash: OTHER } }, /transaction: the report has cdcd/],
];
for (const [check, part, change, detail] of lies) {
  Deno.test(`a report with another ${part} ${Object.keys(change)} fails the check of the ${check}`, async () => {
    const { scene, report } = await usedScene();
    const checks = await verify(scene, alter(report, part, change));
    equal(checks[check].verdict, "failed");
    match(checks[check].detail, detail);
    equal(Object.values(checks).filter(({ verdict }) => verdict === "failed").length, 1);
  });
}

Deno.test("a report of a note that the pool does not have fails", async () => {
  const { scene, report } = await usedScene();
  const statement = { ...report.statement, commitment: "0x5", nullifierHash: "0x6" };
  const checks = await verify(scene, { ...report, statement });
  equal(verdicts(checks), "ok ok failed failed failed");
  scene.spent.clear();
  equal((await verify(scene, report)).spent.verdict, "failed");
});

Deno.test("a proof counts only if it verifies with this program's own keys, and development keys give a warning", async () => {
  const { scene, report } = await usedScene();
  const check = async (change: object) => (await verify(scene, report, proverWith(change))).proof;
  equal((await check({})).verdict, "ok");
  const invalid = await check({ verify: () => Promise.resolve(false) });
  deepEqual([invalid.verdict, /it is invalid/.test(invalid.detail)], ["failed", true]);
  const other = await check({
    vkeyHash: { [withdrawCircuit(1)]: OTHER },
    verify: () => Promise.resolve(true),
  });
  match(other.detail, /made with the keys abababababab, but this program has cdcdcdcdcdcd\./);
  match((await check({ vkeyHash: {} })).detail, /has none for version 2/);
  const development = await check({ label: DEVELOPMENT_LABEL });
  deepEqual([development.verdict, /anyone who made those keys could forge it/.test(development.detail)], [
    "warning",
    true,
  ]);
});

Deno.test("nothing is read of an account that is not a pool of this program, even if a registry lists it", async () => {
  const { scene, report } = await usedScene();
  const account = poolAddress.toRawString();
  for (
    const [code, detail] of [[undefined, /there is no contract/], [
      loadPoolCode("jetton").code,
      /not a pool that/,
    ]] as const
  ) {
    scene.accounts[account] = { code };
    const checks = await verify(scene, report);
    deepEqual([verdicts(checks), detail.test(checks.pool.detail)], ["ok failed", true]);
  }
});

Deno.test("a pool whose getter fails does not pass its check, and an endpoint failure gives no verdict", async () => {
  const { scene, report } = await usedScene();
  const fail = (code: "contract_refused" | "chain_unavailable") => {
    scene.getters.getDenomination = () => {
      throw new Problem(code);
    };
    return verify(scene, report);
  };
  match((await fail("contract_refused")).pool.detail, /does not respond like a pool/);
  await rejects(fail("chain_unavailable"), { code: "chain_unavailable" });
  scene.getters.getDenomination = () => [int(1)];
  equal((await verify(scene, report)).pool.verdict, "failed");
});
