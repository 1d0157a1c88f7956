/** A relayer serves a version 2 pool on a localnet, with real proofs: queue, settlement, withdrawals, stale slots. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { poseidon } from "../../src/core/crypto/poseidon.ts";
import { addressToField } from "../../src/core/protocol/address_field.ts";
import { createNote, type Note } from "../../src/core/protocol/note.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import { settleDeposits } from "../../src/ops/settle.ts";
import { V2Pool } from "../../src/ton/pool/v2/pool.ts";
import { RelayerHarness, waitUntil } from "../support/relayer/relayer_harness.ts";

const KEY = "native-10-v2";
const FEE = 200_000_000n;
/** Of the pool's spent set. */
const SLOTS = 4_096n;
const recipient = new Address(0, Buffer.alloc(32, 0x51));

class Version2Harness {
  readonly pool: V2Pool;
  readonly tree = new MerkleTree();
  readonly address: string;

  constructor(readonly net: RelayerHarness) {
    this.pool = new V2Pool(net.chain, net.pool(KEY).address);
    this.address = net.pool(KEY).address.toString();
  }

  async deposit(commitment: bigint): Promise<void> {
    const before = await this.pool.getNextIndex();
    const value = await this.pool.getDenomination();
    await this.net.user.send([this.pool.buildCommentDepositMessage({ commitment, value })]);
    await waitUntil("the deposit is queued", async () => await this.pool.getNextIndex() > before);
  }

  /** Settles all waiting deposits from the user's wallet, and waits until the relayer has indexed it. */
  async settle(commitments: readonly bigint[]): Promise<void> {
    const { user: wallet, prover } = this.net;
    await settleDeposits({ pool: this.pool, wallet, prover }, { pollIntervalMs: 50 });
    this.tree.appendMany(commitments);
    await this.untilLeaves(this.tree.size);
  }

  async untilLeaves(count: number): Promise<void> {
    await waitUntil(`${count} leaves`, () => {
      const { ready, leaves } = this.net.relayer.readiness().pools[KEY];
      return ready && leaves === count;
    });
  }

  async request(note: Note, leafIndex: number) {
    const nullifierHash = poseidon([note.nullifier, BigInt(leafIndex)]);
    const { proof, publicSignals } = await this.net.prover.proveWithdraw2({
      ...{ root: this.tree.root, nullifierHash, fee: FEE, refund: 0n },
      ...{ nullifier: note.nullifier, secret: note.secret },
      recipient: addressToField(recipient),
      relayer: addressToField(this.net.relayerAddress),
      ...this.tree.path(leafIndex),
    });
    const amounts = { fee: String(FEE), refund: "0" };
    return { pool: this.address, proof, publicSignals, recipient: recipient.toString(), ...amounts };
  }

  async check(body: { commitment: bigint } | { nullifierHash: bigint }) {
    const [[name, value]] = Object.entries(body);
    return (await this.net.post("/note/check", { pool: this.address, [name]: fieldToHex(value) })).body;
  }
}

const newNote = () => createNote({ asset: "native", amount: "10", network: "localnet" });

Deno.test("relayer: a version 2 pool from deposit by comment to payment, and again after a restart", async (t) => {
  await using net = await RelayerHarness.start();
  const v2 = new Version2Harness(net);
  const [alice, bob] = [newNote(), newNote()];
  const query = `pool=${encodeURIComponent(v2.address)}`;
  const commitments = [alice.commitment, bob.commitment, alice.commitment];

  await t.step("/pools names the version, and a waiting deposit is known but not in the tree", async () => {
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

  await t.step(
    "both copies of a commitment are paid, each once, and /spent lists them in order",
    async () => {
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
      const spent = (await net.get(`/spent?${query}&limit=1`)).body;
      deepEqual([spent.count, spent.nextFrom, spent.nullifierHashes], [1, 1, [
        fieldToHex(nullifierHashes[0]),
      ]]);
      const rest = (await net.get(`/spent?${query}&from=1`)).body;
      deepEqual([rest.count, rest.nextFrom, rest.nullifierHashes], [1, null, [
        fieldToHex(nullifierHashes[1]),
      ]]);
      const refused = await net.get(
        `/spent?pool=${encodeURIComponent(net.pool("native-10").address.toString())}`,
      );
      deepEqual([refused.status, refused.body.code], [400, "invalid_request"]);
    },
  );

  await t.step("after a restart everything is as it was, and a payment needs its new path", async () => {
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

  await t.step("a withdrawal against an unknown root, or of a note not settled, is refused", async () => {
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
});

/** Returns a note whose nullifier hash at `leafIndex` belongs to the same slot as `nullifierHash`. */
function noteOfSlot(nullifierHash: bigint, leafIndex: number): Note {
  for (;;) {
    const note = newNote();
    if ((poseidon([note.nullifier, BigInt(leafIndex)]) ^ nullifierHash) % SLOTS === 0n) return note;
  }
}

Deno.test("relayer: a withdrawal whose slot another one changed first is sent again, and paid once", async () => {
  await using net = await RelayerHarness.start();
  const v2 = new Version2Harness(net);
  const rival = newNote();
  const rivalHash = poseidon([rival.nullifier, 0n]);
  const note = noteOfSlot(rivalHash, 1);
  for (const { commitment } of [rival, note]) await v2.deposit(commitment);
  await v2.settle([rival.commitment, note.commitment]);

  // The rival withdraws by itself after the relayer has signed, and before its message arrives.
  const { proof } = await net.prover.proveWithdraw2({
    ...{ root: v2.tree.root, nullifierHash: rivalHash, fee: 0n, refund: 0n, relayer: 0n },
    ...{ nullifier: rival.nullifier, secret: rival.secret, recipient: addressToField(recipient) },
    ...v2.tree.path(0),
  });
  const direct = v2.pool.buildWithdrawMessage({
    ...{ root: v2.tree.root, rootNumber: 0, nullifierHash: rivalHash, fee: 0n, refund: 0n },
    ...{ recipient, relayer: null, proof, carried: null, value: await v2.pool.getWithdrawValue(0n) },
  });
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

Deno.test("relayer: settles eagerly, each deposit once, also after a restart in between and beside a rival", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const v2 = new Version2Harness(net);
  await net.startRelayer({ settle: "eager" });
  const value = await v2.pool.getDenomination();
  const commitments = Array.from({ length: 40 }, () => newNote().commitment);
  const pay = async (part: readonly bigint[]) => {
    const before = await v2.pool.getNextIndex();
    for (let i = 0; i < part.length; i += 4) {
      const messages = part.slice(i, i + 4).map((commitment) =>
        v2.pool.buildDepositMessage({ commitment, value })
      );
      await net.user.send(messages);
      await waitUntil("queued", async () => await v2.pool.getNextIndex() >= before + i + messages.length);
    }
  };
  await pay(commitments.slice(0, 18));
  await waitUntil("a chunk is settled", async () => await v2.pool.getSettled() >= 16);
  await net.relayer.close();
  await net.startRelayer({ settle: "eager" });
  await pay(commitments.slice(18));
  await settleDeposits({ pool: v2.pool, wallet: net.user, prover: net.prover, maxBatches: 1 }, {
    pollIntervalMs: 50,
  });
  await waitUntil("all are settled", async () => await v2.pool.getSettled() === commitments.length);
  await v2.untilLeaves(commitments.length);
  v2.tree.appendMany(commitments);
  equal(await v2.pool.getCurrentRoot(), v2.tree.root);
  const entries = await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER));
  ok(entries.some(({ kind }) => kind === "settlement"), "the relayer's settlements are booked");
});

Deno.test("relayer: waits until the reward pays for a settlement", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const v2 = new Version2Harness(net);
  await net.startRelayer({ settle: "profitable" });
  await v2.deposit(newNote().commitment);
  await waitUntil("the deposit is indexed", async () => {
    const { body } = await net.get(`/tree/commitments?pool=${encodeURIComponent(v2.address)}`);
    return body.pending?.length === 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  equal(await v2.pool.getSettled(), 0, "the reward is an eighth of the cost");
  for (let i = 0; i < 8; i++) await v2.deposit(newNote().commitment);
  await waitUntil("nine deposits pay for it", async () => await v2.pool.getSettled() === 9);
});
