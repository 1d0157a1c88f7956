/** Deposits, settles and withdraws in the version 2 pool of a localnet with a relayer. */
import { ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import { createNote, type Note } from "../../../src/core/protocol/note.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { settleDeposits } from "../../../src/client/settlement/settle_deposits.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { settlementDueAt } from "../../../src/ton/pool/v2/settlement_terms.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import type { RelayerHarness } from "./relayer_harness.ts";

/** Must be shorter than the time after which a relayer answers 202. */
export const BATCH_MS = 15_000;
export const KEY = "native-10-v2";
export const FEE = 200_000_000n;
export const recipient = new Address(0, Buffer.alloc(32, 0x51));

export class Version2Harness {
  readonly pool: V2Pool;
  readonly tree = new MerkleTree();
  readonly address: string;

  constructor(readonly net: RelayerHarness, readonly key: string = KEY) {
    this.pool = new V2Pool(net.chain, net.pool(key).address);
    this.address = net.pool(key).address.toString();
  }

  /** Returns the fee in the pool's smallest unit. */
  get fee(): bigint {
    return this.net.pool(this.key).denomination / 50n;
  }

  /** Returns a new note for this pool. */
  note(): Note {
    const { asset, amount } = this.net.pool(this.key);
    return createNote({ asset, amount, network: "localnet", version: 2 });
  }

  async #depositMessage(commitment: bigint) {
    const { jettonMaster, denomination: amount } = this.net.pool(this.key);
    const owner = this.net.user.address;
    if (!jettonMaster) return this.pool.buildCommentDepositMessage({ commitment, value: amount });
    const jettonWallet = await fetchJettonWalletAddress(this.net.chain, jettonMaster, owner);
    const forwardAmount = await this.pool.getDepositValue();
    return this.pool.buildJettonDepositMessage({ commitment, amount, owner, jettonWallet, forwardAmount });
  }

  async deposit(commitment: bigint): Promise<void> {
    const before = await this.pool.getNextIndex();
    await this.net.user.send([await this.#depositMessage(commitment)]);
    await waitUntil("the deposit is queued", async () => await this.pool.getNextIndex() > before);
  }

  /**
   * Settles all waiting deposits from the user's wallet, without waiting for the pool's pause, and waits until
   * the relayer has indexed the settlement.
   */
  async settle(commitments: readonly bigint[]): Promise<void> {
    const { user: wallet, prover } = this.net;
    const clock = this.net.clock.sleepless();
    await settleDeposits({ pool: this.pool, wallet, prover }, { pollIntervalMs: 50, clock });
    this.tree.appendMany(commitments);
    await this.untilLeaves(this.tree.size);
  }

  /** Waits until relayers have settled this many deposits, and moves the clock over the pool's pauses. */
  async untilSettled(count: number): Promise<void> {
    await waitUntil(`${count} deposits are settled`, async () => {
      const info = await this.pool.getSettleInfo();
      const pauseMs = 1000 * settlementDueAt(info, info.settled + 1) - this.net.clock.now();
      if (info.settled < count && pauseMs > 0) await this.net.clock.advance(pauseMs);
      return info.settled >= count;
    });
  }

  async untilLeaves(count: number): Promise<void> {
    await waitUntil(`${count} leaves`, () => {
      const { ready, leaves } = this.net.relayer.readiness().pools[this.key];
      return ready && leaves === count;
    });
  }

  async request(note: Note, leafIndex: number, { refund = 0n }: { readonly refund?: bigint } = {}) {
    const nullifierHash = poseidon([note.nullifier, BigInt(leafIndex)]);
    const { proof, publicSignals } = await this.net.prover.proveWithdraw2({
      root: this.tree.root,
      nullifierHash,
      fee: this.fee,
      refund,
      nullifier: note.nullifier,
      secret: note.secret,
      recipient: addressToField(recipient),
      relayer: addressToField(this.net.relayerAddress),
      ...this.tree.path(leafIndex),
    });
    const amounts = { fee: String(this.fee), refund: String(refund) };
    return { pool: this.address, proof, publicSignals, recipient: recipient.toString(), ...amounts };
  }

  /**
   * Submits withdrawals to a relayer that collects them for {@linkcode BATCH_MS}. Moves the clock over this window
   * once each is accepted or refused. Throws if one is refused. A busy relayer answers 202 before it sends.
   */
  async withdrawTogether(
    requests: readonly { readonly publicSignals: readonly string[] }[],
  ): Promise<void> {
    this.net.clock.stop(); // the window must not end before the last one is accepted
    const answered = new Set<unknown>();
    const answers = requests.map((request) =>
      this.net.post("/withdraw", request).finally(() => answered.add(request))
    );
    const pool = this.net.pool(this.key).address.toRawString();
    for (const request of requests) {
      const nullifierHash = BigInt(request.publicSignals[1]);
      await waitUntil("the withdrawal is accepted or refused", async () => {
        return answered.has(request) || await this.net.store.job({ pool, nullifierHash }) !== undefined;
      });
    }
    await this.net.clock.advance(BATCH_MS);
    for (const { status, body } of await Promise.all(answers)) {
      ok(status === 200 || status === 202, JSON.stringify(body));
    }
  }

  /** Returns the message that withdraws the note of leaf 0 without a relayer, for an empty slot. */
  async directWithdrawal({ nullifier, secret }: Note) {
    const nullifierHash = poseidon([nullifier, 0n]);
    const { proof } = await this.net.prover.proveWithdraw2({
      root: this.tree.root,
      nullifierHash,
      fee: 0n,
      refund: 0n,
      relayer: 0n,
      nullifier,
      secret,
      recipient: addressToField(recipient),
      ...this.tree.path(0),
    });
    return this.pool.buildWithdrawMessage({
      root: this.tree.root,
      rootNumber: 0,
      nullifierHash,
      fee: 0n,
      refund: 0n,
      recipient,
      relayer: null,
      proof,
      carried: null,
      value: await this.pool.getWithdrawValue(0n),
    });
  }

  async check(body: { commitment: bigint } | { nullifierHash: bigint }) {
    const [[name, value]] = Object.entries(body);
    return (await this.net.post("/note/check", { pool: this.address, [name]: fieldToHex(value) })).body;
  }
}

export const newNote = () => createNote({ asset: "native", amount: "10", network: "localnet" });
