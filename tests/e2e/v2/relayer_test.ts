/** A relayer serves a version 2 pool on a localnet: queue, withdrawals, batches, stale slots. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import type { Note } from "../../../src/core/protocol/note.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import {
  BATCH_MS,
  FEE,
  KEY,
  newNote,
  recipient,
  Version2Harness,
} from "../../support/relayer/version2_harness.ts";

/** The number of slots in the pool's spent set. */
const SLOTS = 4_096n;

/** Starts a local network with a relayer, and prepares three deposits by comment. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const v2 = new Version2Harness(net);
  const [alice, bob] = [newNote(), newNote()];
  const query = `pool=${encodeURIComponent(v2.address)}`;
  const commitments = [alice.commitment, bob.commitment, alice.commitment];
  const open = stack.move();
  return { net, commitments, v2, query, alice, bob, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("a version 2 pool from deposit by comment to payment, and again after a restart", async (t) => {
  await using scene = await openScene();
  await queuesAndSettles(t, scene);
  await t.step(
    "both copies of a commitment are paid, each once, and /spent lists them in order",
    () => paysBothCopies(scene),
  );
  await continuesAfterRestart(t, scene);
});

async function queuesAndSettles(
  t: Deno.TestContext,
  { net, commitments, v2, query, alice }: Scene,
): Promise<void> {
  await t.step("/pools names the version, and a waiting deposit is listed but not in the tree", async () => {
    const { pools } = (await net.get("/pools")).body;
    deepEqual([pools[KEY].version, pools["native-10"].version], [2, undefined]);
    for (const commitment of commitments) await v2.deposit(commitment);
    await waitUntil("the queue is indexed", async () => {
      return (await net.get(`/tree/commitments?${query}`)).body.pending?.length === 3;
    });
    const page = (await net.get(`/tree/commitments?${query}`)).body;
    deepEqual([page.count, page.commitments], [0, []]);
    deepEqual(
      page.pending,
      commitments.map((commitment, leafIndex) => ({ leafIndex, commitment: fieldToHex(commitment) })),
    );
    const { deposited, settled, leafIndex, leafIndices } = await v2.check({ commitment: alice.commitment });
    deepEqual([deposited, settled, leafIndex, leafIndices], [true, false, 0, [0, 2]]);
  });

  await t.step("settled deposits are leaves, copies included", async () => {
    await v2.settle(commitments);
    const page = (await net.get(`/tree/commitments?${query}`)).body;
    deepEqual([page.count, page.pending], [3, []]);
    const { settled, leafIndices } = await v2.check({ commitment: alice.commitment });
    deepEqual([settled, leafIndices], [true, [0, 2]]);
    const stranger = await v2.check({ commitment: 5n });
    deepEqual([stranger.deposited, stranger.settled, stranger.leafIndices], [false, false, []]);
    equal((await net.get(`/tree/root?${query}`)).body.root, fieldToHex(v2.tree.root));
  });
}

async function paysBothCopies({ alice, v2, net, query }: Scene): Promise<void> {
  const nullifierHashes = [0, 2].map((leafIndex) => poseidon([alice.nullifier, BigInt(leafIndex)]));
  for (const [i, leafIndex] of [0, 2].entries()) {
    const request = await v2.request(alice, leafIndex);
    const sent = await net.post("/withdraw", request);
    equal(sent.status, 200, JSON.stringify(sent.body));
    const id = { pool: v2.address, nullifierHash: fieldToHex(nullifierHashes[i]) };
    equal((await net.untilState(id, "confirmed", "failed", "expired")).state, "confirmed");
    const again = await net.post("/withdraw", request);
    deepEqual([again.status, again.body.code], [409, "nullifier_already_used"]);
    equal((await v2.check({ nullifierHash: nullifierHashes[i] })).spent, true);
  }
  await waitUntil("the list has both", async () => (await net.get(`/spent?${query}`)).body.count === 2);
  const spent = (await net.get(`/spent?${query}&limit=1`)).body;
  deepEqual([spent.count, spent.nextFrom, spent.nullifierHashes], [1, 1, [
    fieldToHex(nullifierHashes[0]),
  ]]);
  const rest = (await net.get(`/spent?${query}&from=1`)).body;
  deepEqual([rest.count, rest.nextFrom, rest.nullifierHashes], [1, null, [
    fieldToHex(nullifierHashes[1]),
  ]]);
}

async function continuesAfterRestart(t: Deno.TestContext, { v2, bob, net, query }: Scene): Promise<void> {
  await t.step("after a restart the history is unchanged, and a payment needs its new path", async () => {
    await v2.deposit(bob.commitment);
    await net.relayer.close();
    await net.startRelayer();
    await v2.settle([bob.commitment]);
    const { body } = await net.get(`/spent?${query}`);
    equal(body.count, 2);
    for (const leafIndex of [1, 3]) {
      equal((await net.post("/withdraw", await v2.request(bob, leafIndex))).status, 200);
      const nullifierHash = fieldToHex(poseidon([bob.nullifier, BigInt(leafIndex)]));
      const { state } = await net.untilState({ pool: v2.address, nullifierHash }, "confirmed", "failed");
      equal(state, "confirmed");
    }
  });

  await t.step("a withdrawal with an unknown root, or of an unsettled note, is refused", async () => {
    const request = await v2.request(bob, 1);
    const unknown = { ...request, publicSignals: ["5", ...request.publicSignals.slice(1)] };
    equal((await net.post("/withdraw", { ...unknown })).body.code, "nullifier_already_used");
    const fresh = [...request.publicSignals];
    fresh[0] = "5";
    fresh[1] = "6";
    equal((await net.post("/withdraw", { ...request, publicSignals: fresh })).body.code, "unknown_root");
    fresh[0] = String(v2.tree.root);
    equal((await net.post("/withdraw", { ...request, publicSignals: fresh })).body.code, "proof_invalid");
    ok((await net.get("/readyz")).status === 200);
  });
}

/** Returns a note whose nullifier hash at `leafIndex` belongs to the same slot as `nullifierHash`. */
function noteOfSlot(nullifierHash: bigint, leafIndex: number): Note {
  for (;;) {
    const note = newNote();
    if ((poseidon([note.nullifier, BigInt(leafIndex)]) ^ nullifierHash) % SLOTS === 0n) return note;
  }
}

Deno.test("a withdrawal whose slot another one changed first is sent again, and paid once", async () => {
  await using net = await RelayerHarness.start();
  const v2 = new Version2Harness(net);
  const rival = newNote();
  const rivalHash = poseidon([rival.nullifier, 0n]);
  const note = noteOfSlot(rivalHash, 1);
  for (const { commitment } of [rival, note]) await v2.deposit(commitment);
  await v2.settle([rival.commitment, note.commitment]);

  // The rival withdraws after the relayer has signed and before its message arrives.
  const direct = await v2.directWithdrawal(rival);
  await net.relayer.close();
  let isRivalPaid = false;
  await net.startRelayer({
    chain: (chain) => ({
      ...chain,
      async send(message, options) {
        if (!isRivalPaid) {
          isRivalPaid = true;
          await net.user.send([direct]);
          await waitUntil("the rival is paid", async () => (await v2.pool.getPoolInfo()).withdrawals === 1);
        }
        return await chain.send(message, options);
      },
    }),
  });
  await v2.untilLeaves(2);
  equal((await net.post("/withdraw", await v2.request(note, 1))).status, 200);
  const id = { pool: v2.address, nullifierHash: fieldToHex(poseidon([note.nullifier, 1n])) };
  equal((await net.untilState(id, "confirmed", "failed", "expired")).state, "confirmed");
  const job = await net.store.job({
    pool: net.pool(KEY).address.toRawString(),
    nullifierHash: poseidon([note.nullifier, 1n]),
  });
  deepEqual([isRivalPaid, job!.attempts, job!.failures], [true, 1, 0]);
  equal((await v2.pool.getPoolInfo()).withdrawals, 2);
  const { balance } = await net.chain.account(recipient);
  const storageFee = 20_000_000_000n - FEE - balance; // between the two payments
  ok(storageFee >= 0n && storageFee < 1_000n, String(balance));
});

Deno.test("withdrawals that wait together share a message; one that the pool skips is sent again", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const v2 = new Version2Harness(net);
  const rival = newNote();
  const rivalHash = poseidon([rival.nullifier, 0n]);
  // After the relayer has signed, the rival changes the slot of the second note.
  const notes = [newNote(), noteOfSlot(rivalHash, 2), newNote(), newNote()];
  const commitments = [rival, ...notes].map(({ commitment }) => commitment);
  for (const commitment of commitments) await v2.deposit(commitment);
  let isRivalPaid = false;
  await net.startRelayer({
    batchMs: BATCH_MS,
    chain: (chain) => ({
      ...chain,
      async send(message, options) {
        if (!isRivalPaid) {
          isRivalPaid = true;
          await net.user.send([direct]);
          await waitUntil("the rival is paid", async () => (await v2.pool.getPoolInfo()).withdrawals === 1);
        }
        return await chain.send(message, options);
      },
    }),
  });
  await v2.settle(commitments);
  const direct = await v2.directWithdrawal(rival);
  const requests = [];
  for (const [i, note] of notes.entries()) requests.push(await v2.request(note, i + 1));
  await v2.withdrawTogether(requests);
  const payments = [];
  for (const [i, { nullifier }] of notes.entries()) {
    const nullifierHash = poseidon([nullifier, BigInt(i + 1)]);
    const id = { pool: v2.address, nullifierHash: fieldToHex(nullifierHash) };
    equal((await net.untilState(id, "confirmed", "superseded", "failed", "expired")).state, "confirmed");
    payments.push((await net.store.job({ pool: net.pool(KEY).address.toRawString(), nullifierHash }))!);
  }
  deepEqual(payments.map(({ attempts, failures }) => [attempts, failures]), [
    [undefined, 0],
    [1, 0],
    [undefined, 0],
    [undefined, 0],
  ]);
  const [first, second, third, fourth] = payments.map(({ txHash }) => txHash);
  deepEqual([third, fourth], [first, first]);
  ok(second !== first);
  equal((await v2.pool.getPoolInfo()).withdrawals, 5);
  const entries = await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER));
  equal(
    entries.filter(({ kind }) => kind === "withdrawal").reduce((sum, { fee }) => sum + fee, 0n),
    4n * FEE,
  );
});

for (const position of [0, 2]) {
  Deno.test(`a note whose owner withdrew it first is skipped, as item ${position} of a message; the others are paid`, async () => {
    await using net = await RelayerHarness.start({ relayer: false });
    const v2 = new Version2Harness(net);
    const notes = [newNote(), newNote(), newNote()];
    for (const { commitment } of notes) await v2.deposit(commitment);
    let isOwnerPaid = false;
    await net.startRelayer({
      batchMs: BATCH_MS,
      chain: (chain) => ({
        ...chain,
        async send(message, options) {
          if (!isOwnerPaid) {
            isOwnerPaid = true;
            await net.user.send([direct]);
            await waitUntil("the owner is paid", async () => (await v2.pool.getPoolInfo()).withdrawals === 1);
          }
          return await chain.send(message, options);
        },
      }),
    });
    await v2.settle(notes.map(({ commitment }) => commitment));
    const direct = await v2.directWithdrawal(notes[0]);
    const requests: Awaited<ReturnType<typeof v2.request>>[] = [];
    for (const [i, note] of notes.entries()) requests.push(await v2.request(note, i));
    // The owner withdraws leaf 0, which is submitted first or last.
    const order = position === 0 ? [0, 1, 2] : [1, 2, 0];
    await v2.withdrawTogether(order.map((leafIndex) => requests[leafIndex]));
    const states: string[] = [];
    const payments = new Set<string | undefined>();
    for (const [leafIndex, { nullifier }] of notes.entries()) {
      const nullifierHash = poseidon([nullifier, BigInt(leafIndex)]);
      const id = { pool: v2.address, nullifierHash: fieldToHex(nullifierHash) };
      states.push((await net.untilState(id, "confirmed", "superseded", "failed", "expired")).state);
      const job = await net.store.job({ pool: net.pool(KEY).address.toRawString(), nullifierHash });
      if (leafIndex !== 0) payments.add(job!.txHash);
    }
    deepEqual(states, ["superseded", "confirmed", "confirmed"]);
    equal(payments.size, 1, "one message pays the others");
    equal((await v2.pool.getPoolInfo()).withdrawals, 3);
  });
}
