/** Notes of a version 2 pool: deposits without proofs, a settlement, two withdrawals in one message. */
import type { Address } from "@ton/core";
import { depositByTransfer } from "../../../client/deposit/deposit_transfer.ts";
import { toPoolJetton } from "../../../client/notes/pool_match.ts";
import { poseidon } from "../../../core/crypto/poseidon.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { addressToField } from "../../../core/protocol/messages/address_field.ts";
import type { Note } from "../../../core/protocol/note.ts";
import { depositComment } from "../../../core/protocol/v2/messages.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { DepositQueueReader } from "../../../client/settlement/deposit_queue.ts";
import { settleDeposits } from "../../../client/settlement/settle_deposits.ts";
import { monotonicClock } from "../../../core/time/clock.ts";
import type { PoolWithdraw2Args, V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { Wallet } from "../../../ton/wallet/wallet.ts";
import { assertClaim, elapsedMs, freshAddress, POLL_INTERVAL_MS, waitForClaim } from "./assertions.ts";
import { balanceChanges } from "./balances.ts";
import { DEPOSIT_COUNT, ScenarioBase } from "./scenario_base.ts";

const FEE_PART = 100n;

type Withdrawals = readonly PoolWithdraw2Args[];

export class Version2Scenario extends ScenarioBase<V2Pool> {
  readonly #spent = new SpentSet();

  async run(): Promise<void> {
    const relayer = await this.openWallet(this.localnet.relayer);
    const wallets = await this.openWallets();
    this.emitStarted();
    const notes: Note[] = [];
    for (let i = 0; i < DEPOSIT_COUNT; i++) notes.push(await this.#deposit(wallets[i % wallets.length]));
    const tree = await this.#settle(relayer);
    const withdrawals = await this.#prove(tree, notes, relayer.address, freshAddress());
    await this.#withdraw(withdrawals, relayer);
    const carried = this.#spent.slotPath(withdrawals[0].nullifierHash);
    const value = await this.pool.getWithdrawValue(0n);
    const message = this.pool.buildWithdrawMessage({ ...withdrawals[0], carried, value });
    await this.attemptDoubleSpend(wallets[0], message);
  }

  get #fee(): bigint {
    return this.deployment.denomination / FEE_PART;
  }

  /** Pays coins with a text comment, as any wallet can, and jettons with one transfer. */
  async #deposit(wallet: Wallet): Promise<Note> {
    const began = monotonicClock.now();
    const note = this.createNote();
    const { leafIndex, tx } = await depositByTransfer({
      ...this.place,
      note,
      jetton: toPoolJetton(this.deployment),
      payer: {
        address: wallet.address,
        pay: async ({ to, amount: value, body }) =>
          void await wallet.send([{ to, value, body, bounce: true }]),
      },
    });
    const { commitment } = note;
    this.emit({
      event: "deposited",
      leafIndex,
      commitment: fieldToHex(commitment),
      ...note.asset === "native" && { comment: depositComment(commitment) },
      tx: tx.hash,
      milliseconds: elapsedMs(began),
    });
    return note;
  }

  /** Anyone can settle; here the relayer does. The proof names its wallet. Returns the settled tree. */
  async #settle(wallet: Wallet): Promise<MerkleTree> {
    const began = monotonicClock.now();
    const { pool, prover } = this;
    const onProgress = this.progress("the settlement");
    const [{ end, root, tx, cost }] = await settleDeposits({ pool, wallet, prover }, {
      pollIntervalMs: POLL_INTERVAL_MS,
      onStep(step) {
        if (step.step === "proving") onProgress({ stage: "proving", fraction: step.fraction });
      },
    });
    const milliseconds = elapsedMs(began);
    this.emit({ event: "settled", leaves: end, root: fieldToHex(root), tx: tx.hash, cost, milliseconds });
    return (await new DepositQueueReader(pool).read()).tree;
  }

  /** Proves the withdrawals of the first two notes. The second path is that after the first withdrawal. */
  async #prove(
    tree: MerkleTree,
    notes: readonly Note[],
    relayer: Address,
    recipient: Address,
  ): Promise<Withdrawals> {
    const withdrawals: PoolWithdraw2Args[] = [];
    const { root } = tree;
    for (const leafIndex of [0, 1]) {
      const began = monotonicClock.now();
      const { nullifier, secret } = notes[leafIndex];
      const nullifierHash = poseidon([nullifier, BigInt(leafIndex)]);
      const { proof, publicSignals } = await this.prover.proveWithdraw2({
        root,
        nullifierHash,
        fee: this.#fee,
        refund: 0n,
        nullifier,
        secret,
        recipient: addressToField(recipient),
        relayer: addressToField(relayer),
        ...tree.path(leafIndex),
      }, { onProgress: this.progress(`withdrawal ${leafIndex + 1} of 2`) });
      const carried = this.#spent.slotPath(nullifierHash);
      this.#spent.add(nullifierHash);
      withdrawals.push({
        root,
        rootNumber: 0,
        nullifierHash,
        fee: this.#fee,
        refund: 0n,
        recipient,
        relayer,
        proof,
        carried,
      });
      this.emit({ event: "proved", publicSignals, milliseconds: elapsedMs(began) });
    }
    return withdrawals;
  }

  async #withdraw(withdrawals: Withdrawals, relayer: Wallet): Promise<void> {
    const began = monotonicClock.now();
    const [{ recipient }] = withdrawals;
    const accounts = { recipient, relayer: relayer.address, pool: this.pool.address };
    const before = await this.readBalances(accounts);
    const value = await this.pool.getWithdrawManyValue(withdrawals.length, 0n);
    const message = this.pool.buildWithdrawManyMessage(withdrawals, { value });
    const { tx } = await this.send(relayer, message, "withdrawal");
    for (const { nullifierHash } of withdrawals) {
      const carried = this.#spent.slotPath(nullifierHash);
      assertClaim(await this.pool.getIsSpentBy(nullifierHash, carried), "the pool has both notes as spent");
    }
    this.emit({ event: "confirmed", tx: tx.hash, milliseconds: elapsedMs(began) });
    const paid = BigInt(withdrawals.length) * (this.deployment.denomination - this.#fee);
    await waitForClaim("the recipient is paid twice, and the relayer its fees", async () => {
      const now = await this.readBalances(accounts);
      return now.recipient === before.recipient + paid && now.relayer > before.relayer;
    });
    const after = await this.readBalances(accounts);
    this.emit({ event: "balances", accounts: balanceChanges(accounts, before, after) });
  }
}
