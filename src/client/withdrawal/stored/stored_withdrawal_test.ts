/** What a store has at each step of a withdrawal, and what the next run makes of it. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  openRelayerScene,
  recipient,
  type RelayerAnswer,
} from "../../../../tests/support/relayer/scripted_relayers.ts";
import { emptyProver, testAddress } from "../../../../testkit/simulation/scripted_pool.ts";
import { ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import { formatNote } from "../../../core/protocol/note.ts";
import { createNoteRecord, type NoteRecord } from "../../notes/note_store.ts";
import { type AttemptJournal, attemptsFor, findPayableAttempts } from "../../notes/withdrawal_attempts.ts";
import { RelayerProblem } from "../../relayer/relayer_problem.ts";
import { FAILOVER_TIMEOUT_MS } from "../withdrawal_wait.ts";
import { resumeStored, type StoredWithdrawal, withdrawStored } from "./stored_withdrawal.ts";

const AT = 1_000_000;

/** The store keeps its state from one run to the next. `now` is the time of the device. */
function openScene() {
  const { scene, note, pool, requests, relayerOf, pay } = openRelayerScene();
  let record: NoteRecord = { ...createNoteRecord(formatNote(note), 1), state: "deposited" };
  const store: AttemptJournal = {
    list: () => Promise.resolve([record]),
    update(_id, change) {
      requests.push(`store ${change.state}`);
      return Promise.resolve(record = { ...record, ...change } as NoteRecord);
    },
  };
  const device = { now: AT };
  const stored: StoredWithdrawal = { store, id: record.id, pool, note, clock: { now: () => device.now } };
  const options = { clock: scene.clock, pollIntervalMs: 10_000 };
  const withdraw = (...answers: readonly RelayerAnswer[]) =>
    withdrawStored(stored, answers.map((answer, i) => ({ relayer: relayerOf(`r${i}`, answer), fee: 1n })), {
      recipient,
      network: "localnet",
      prover: emptyProver,
      clock: scene.clock,
    }, options);
  const resume = (answer: RelayerAnswer) =>
    resumeStored(stored, relayerOf("r0", answer), record.withdrawal!, options);
  const take = () => requests.splice(0).filter((request) => !/leaves|spent/.test(request));
  return { scene, device, take, withdraw, resume, pay, stored, options, record: () => record };
}

/** A scene whose first run was killed while it submitted the proof. */
async function openKilled() {
  const opened = openScene();
  await rejects(opened.withdraw({ state: "accepted", submission: new Error("killed") }), /killed/);
  deepEqual(opened.take(), ["store withdrawing", "r0 withdraw"]);
  equal(opened.record().state, "withdrawing");
  return opened;
}

Deno.test("a proof is stored before it is submitted, and the payment before it is returned", async () => {
  const { take, withdraw, record } = openScene();
  const payment = await withdraw({ state: "confirmed", pays: true });
  deepEqual(take(), ["store withdrawing", "r0 withdraw", "r0 status", "store withdrawn"]);
  equal(payment.recipient.equals(recipient), true);
  deepEqual([record().state, record().withdrawal?.relayer, record().withdrawal?.at], ["withdrawn", "r0", AT]);
});

Deno.test("after a kill, the next run follows the stored proof at its relayer, and records the payment", async () => {
  const { take, resume, record } = await openKilled();
  const { withdrawal } = record();
  equal((await resume({ state: "confirmed", pays: true }))?.recipient.equals(recipient), true);
  deepEqual(take(), ["r0 status", "store withdrawn"]);
  deepEqual([record().state, record().withdrawal], ["withdrawn", withdrawal]);
});

Deno.test("a stored proof that its relayer does not know is submitted again, and not made again", async () => {
  const { take, resume, record } = await openKilled();
  const { withdrawal } = record();
  const status = new RelayerProblem("withdrawal_not_found", "r0", {});
  await rejects(resume({ state: "accepted", status }), status);
  deepEqual(take(), ["r0 status", "r0 withdraw", "r0 status"]);
  deepEqual([record().state, record().withdrawal], ["withdrawing", withdrawal]);
});

Deno.test("a stored withdrawal that failed needs a new proof", async () => {
  const { resume, record } = await openKilled();
  equal(await resume({ state: "failed" }), undefined);
  equal(record().state, "withdrawing");
});

Deno.test("only the pool decides whether a note is spent that a relayer reports as spent", async () => {
  const status = new RelayerProblem("nullifier_already_used", "r0", {});
  const unspent = await openKilled();
  await rejects(unspent.resume({ state: "accepted", status }), status);
  equal(unspent.record().state, "withdrawing");

  const spent = await openKilled();
  const { scene, pay } = spent;
  const { getIsSpent } = scene.getters;
  let asked = 0;
  scene.getters.getIsSpent = (...args) => {
    if (++asked === 2) pay(); // after the first question, while the relayer answers
    return getIsSpent(...args);
  };
  equal((await spent.resume({ state: "accepted", status }))?.recipient.equals(recipient), true);
  equal(spent.record().state, "withdrawn");
});

Deno.test("a note that was spent before the proof is recorded with the payment of the pool's log", async () => {
  const { pay, withdraw, take, record } = openScene();
  pay();
  equal((await withdraw({ state: "failed" })).relayer?.equals(testAddress(2)), true);
  deepEqual(take(), ["store withdrawn"]);
  equal(record().withdrawal, undefined, "no proof of this store was paid");
});

Deno.test("a relayer that reports the note as in use gets only the rest of its time if others are left", async () => {
  for (const [passed, waited] of [[0, 180_000], [FAILOVER_TIMEOUT_MS - 20_000, 20_000]] as const) {
    const { device, withdraw, scene } = await openKilled();
    device.now += passed;
    const submission = new RelayerProblem("nullifier_already_used", "r0", {});
    const others = [{ state: "accepted", submission }, { state: "failed" }] as const;
    await rejects(withdraw(...others), { code: "relayer_unavailable" });
    equal(scene.now, waited);
  }
});

Deno.test("a stored proof may be paid only while the pool accepts its root", async () => {
  const { scene, stored, record } = await openKilled();
  const attempts = attemptsFor(record(), stored.note.nullifierHash);
  deepEqual(await findPayableAttempts(stored.pool, attempts), [record().withdrawal]);
  deepEqual(attemptsFor(record(), 5n), []);
  for (let i = 0; i < ROOT_HISTORY_SIZE; i++) scene.deposit(BigInt(i + 100));
  deepEqual(await findPayableAttempts(stored.pool, attempts), []);
});
