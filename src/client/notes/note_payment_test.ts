import { deepEqual, equal, rejects } from "node:assert/strict";
import { poolAddress, ScriptedPool, testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import { createNote, type Note, placeNote } from "../../core/protocol/note.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { findNoteLeaf } from "./note_leaf.ts";
import type { WithdrawalAttempt } from "./note_store.ts";
import { findNotePayment } from "./note_payment.ts";
import { recordAttempt, recordPayment } from "./withdrawal_attempts.ts";

const recipient = testAddress(3);
const relayer = testAddress(2);
const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const note2 = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });

function pay(scene: ScriptedPool, { nullifierHash }: Pick<Note, "nullifierHash">) {
  const log = { nullifierHash, fee: 70n, refund: 0n, recipient, relayer };
  return scene.add(poolAddress, { from: relayer, logs: [withdrawalLog(log)] });
}

function find(scene: ScriptedPool, after?: TransactionId) {
  return findNotePayment(scene.chain, poolAddress, note, { after, clock: scene.clock });
}

const sceneOf = (kind: 0 | 2) => new ScriptedPool({ kind, denomination: 10_000_000_000n });

Deno.test("the payment of a note is the pool's own log of it", async () => {
  const scene = sceneOf(0);
  pay(scene, { nullifierHash: 5n });
  const tx = pay(scene, note);
  const payment = await find(scene);
  deepEqual([payment.tx, payment.fee, scene.now], [tx.hash, 70n, 0]);
  equal(payment.recipient.equals(recipient) && payment.relayer!.equals(relayer), true);
});

Deno.test("a payment of long ago is found in the second read, without waiting", async () => {
  const scene = sceneOf(0);
  const tx = pay(scene, note);
  const after = scene.add(poolAddress, { from: relayer });
  deepEqual([(await find(scene, after)).tx, scene.now], [tx.hash, 0]);
});

Deno.test("the logs are read every two seconds, at most thirty times, until they contain the payment", async () => {
  const scene = sceneOf(0);
  const after = scene.add(poolAddress, { from: relayer });
  scene.at(5_000, () => void pay(scene, note));
  await find(scene, after);
  equal(scene.now, 6_000);
  const silent = sceneOf(0);
  await rejects(find(silent), { code: "chain_unavailable", message: /do not contain the payment yet/ });
  equal(silent.now, 28 * 2_000, "the first two reads are made at once");
});

const attempt = (relayer: string, fee: string, to = recipient) =>
  ({ relayer, fee, recipient: to.toString() }) as unknown as WithdrawalAttempt;
const [a, b, c] = [attempt("a", "1"), attempt("b", "1"), attempt("a", "2")];

Deno.test("an attempt is added to the earlier ones, and replaces only an equal one", () => {
  deepEqual(recordAttempt({}, a), { state: "withdrawing", withdrawal: a, earlier: [] });
  deepEqual(recordAttempt({ withdrawal: a }, b).earlier, [a]);
  deepEqual(recordAttempt({ withdrawal: b, earlier: [a] }, c).earlier, [a, b]);
  deepEqual(recordAttempt({ withdrawal: b, earlier: [a] }, { ...a }).earlier, [b]);
  const elsewhere = attempt("a", "1", testAddress(4));
  deepEqual(recordAttempt({ withdrawal: a }, elsewhere).earlier, [a]);
});

Deno.test("a payment belongs to the latest attempt with its recipient and fee, and to none otherwise", () => {
  const journal = { withdrawal: c, earlier: [a, b] };
  const paid = (fee: bigint, to = recipient) =>
    recordPayment(journal, { tx: "", relayer, recipient: to, fee });
  deepEqual(paid(1n), { state: "withdrawn", withdrawal: b, earlier: [a, c] });
  deepEqual(paid(2n), { state: "withdrawn", withdrawal: c, earlier: [a, b] });
  deepEqual(paid(3n), { state: "withdrawn", withdrawal: undefined, earlier: [a, b, c] });
  deepEqual(paid(1n, testAddress(4)).withdrawal, undefined);
  deepEqual(recordPayment({}, { tx: "", relayer, recipient, fee: 1n }).earlier, []);
});

Deno.test("a version 2 note is placed at its first withdrawable leaf, or at the last one if all are spent", async () => {
  const scene = sceneOf(2);
  const leafOf = async (options: { nullifierHash?: bigint } = {}) =>
    (await findNoteLeaf(openPool(scene.chain, poolAddress, 2), note2, options)).leafIndex;
  await rejects(leafOf(), { code: "commitment_not_found", message: /not in the pool's logs/ });
  scene.deposit(99n);
  scene.deposit(note2.commitment);
  await rejects(leafOf(), { code: "commitment_not_found", message: /waits as leaf 1 / });
  scene.settle();
  scene.deposit(note2.commitment);
  equal(await leafOf(), 1);
  pay(scene, placeNote(note2, 1));
  equal(await leafOf(), 1, "the other one still waits");
  scene.settle();
  scene.deposit(note2.commitment);
  scene.settle();
  equal(await leafOf(), 2);
  equal(
    await leafOf({ nullifierHash: placeNote(note2, 3).nullifierHash }),
    3,
    "an interrupted withdrawal goes on",
  );
  equal(await leafOf({ nullifierHash: placeNote(note2, 1).nullifierHash }), 1);
  pay(scene, placeNote(note2, 2));
  pay(scene, placeNote(note2, 3));
  equal(await leafOf(), 3);
});

Deno.test("a version 1 note, and one with a leaf, stay as they are", async () => {
  const scene = sceneOf(2);
  equal(await findNoteLeaf(openPool(scene.chain, poolAddress, 1), note), note);
  const placed = placeNote(note2, 7);
  equal(await findNoteLeaf(openPool(scene.chain, poolAddress, 2), placed), placed);
});
