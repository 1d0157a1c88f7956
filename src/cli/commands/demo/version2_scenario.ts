/** Notes of a version 2 pool: deposits without proofs, a settlement, two withdrawals in one message. */
import type { Address } from "@ton/core";
import { poseidon } from "../../../core/crypto/poseidon.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { addressToField, settlerToField } from "../../../core/protocol/messages/address_field.ts";
import { createNote, type Note } from "../../../core/protocol/note.ts";
import { parseUnits } from "../../../core/protocol/units.ts";
import { depositComment } from "../../../core/protocol/v2/messages.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { settlementInputs } from "../../../core/tree/settlement.ts";
import { monotonicClock } from "../../../core/time.ts";
import type { Prover } from "../../../prover/prover.ts";
import { fetchJettonWalletAddress } from "../../../ton/jetton/jetton.ts";
import { type PoolWithdraw2Args, V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { Wallet } from "../../../ton/wallet/wallet.ts";
import type { CliContext, RunningLocalnet } from "../../context.ts";
import { assertClaim, elapsedMs, freshAddress, waitForClaim } from "./assertions.ts";
import { balanceChanges } from "./balances.ts";
import type { DemoEvent } from "./events.ts";
import { DEPOSIT_COUNT, NETWORK, ScenarioBase } from "./scenario_base.ts";

const FEE_PART = 100n;
/** Attached to the settlement; the pool returns what it does not need, with the reward. */
const SETTLEMENT_VALUE_NANO = parseUnits("0.2");

type Withdrawals = readonly PoolWithdraw2Args[];

export class Version2Scenario extends ScenarioBase<V2Pool> {
  readonly #tree = new MerkleTree();
  readonly #spent = new SpentSet();

  constructor(
    context: CliContext,
    localnet: RunningLocalnet,
    prover: Prover,
    emit: (event: DemoEvent) => void,
    key: string,
  ) {
    super(context, localnet, prover, emit, { key, open: (chain, address) => new V2Pool(chain, address) });
  }

  async run(): Promise<void> {
    const { denomination } = this.deployment;
    const relayer = await this.openWallet(this.localnet.relayer);
    const wallets = await this.openWallets();
    this.emitStarted();
    const notes: Note[] = [];
    for (let i = 0; i < DEPOSIT_COUNT; i++) {
      notes.push(await this.#deposit(wallets[i % wallets.length], denomination));
    }
    await this.#settle(relayer);
    const withdrawals = await this.#prove(notes, relayer.address, freshAddress());
    await this.#withdraw(withdrawals, relayer, denomination);
    const carried = this.#spent.carried(withdrawals[0].nullifierHash);
    const value = await this.pool.getWithdrawValue(0n);
    const message = this.pool.buildWithdrawMessage({ ...withdrawals[0], carried, value });
    await this.attemptDoubleSpend(wallets[0], message);
  }

  get #fee(): bigint {
    return this.deployment.denomination / FEE_PART;
  }

  /** Pays coins with a text comment, as any wallet can, and jettons with one transfer. */
  async #deposit(wallet: Wallet, denomination: bigint): Promise<Note> {
    const began = monotonicClock.now();
    const { asset, amount, jettonMaster } = this.deployment;
    const note = createNote({ asset, amount, network: NETWORK, version: 2 });
    const { commitment } = note;
    const message = jettonMaster
      ? this.pool.buildJettonDepositMessage({
        ...{ commitment, amount: denomination, owner: wallet.address },
        jettonWallet: await fetchJettonWalletAddress(this.chain, jettonMaster, wallet.address),
        forwardAmount: await this.pool.getDepositValue(),
      })
      : this.pool.buildCommentDepositMessage({ commitment, value: denomination });
    const deposit = await this.send(wallet, message, "deposit");
    assertClaim(deposit.commitment === commitment, "the pool queued the commitment that was paid");
    this.emit({
      ...{ event: "deposited", leafIndex: deposit.leafIndex, commitment: fieldToHex(commitment) },
      ...jettonMaster ? {} : { comment: depositComment(commitment) },
      ...{ tx: deposit.tx.hash, milliseconds: elapsedMs(began) },
    });
    return note;
  }

  /** Anyone can settle; here the relayer does. The proof names its wallet. */
  async #settle(settler: Wallet): Promise<void> {
    const began = monotonicClock.now();
    const queue = (await this.readEvents()).flatMap((event) =>
      event.kind === "deposit" ? [event.commitment] : []
    );
    const input = settlementInputs(this.#tree, queue, settlerToField(settler.address));
    const { proof } = await this.prover.proveSettlement(input, {
      onProgress: this.progress("the settlement"),
    });
    const { newRoot } = input;
    const end = queue.length;
    const message = this.pool.buildSettleMessage({ newRoot, end, proof, value: SETTLEMENT_VALUE_NANO });
    const settlement = await this.send(settler, message, "settlement");
    this.#tree.appendMany(queue);
    assertClaim(await this.pool.getCurrentRoot() === this.#tree.root, "the rebuilt tree is the pool's");
    this.emit({
      ...{ event: "settled", leaves: end, root: fieldToHex(newRoot), tx: settlement.tx.hash },
      ...{ cost: settlement.cost ?? 0n, milliseconds: elapsedMs(began) },
    });
  }

  /** Proves the withdrawals of the first two notes. The second path is that after the first withdrawal. */
  async #prove(notes: readonly Note[], relayer: Address, recipient: Address): Promise<Withdrawals> {
    const withdrawals: PoolWithdraw2Args[] = [];
    const { root } = this.#tree;
    for (const leafIndex of [0, 1]) {
      const began = monotonicClock.now();
      const { nullifier, secret } = notes[leafIndex];
      const nullifierHash = poseidon([nullifier, BigInt(leafIndex)]);
      const { proof, publicSignals } = await this.prover.proveWithdraw2({
        ...{ root, nullifierHash, fee: this.#fee, refund: 0n, nullifier, secret },
        ...{ recipient: addressToField(recipient), relayer: addressToField(relayer) },
        ...this.#tree.path(leafIndex),
      }, { onProgress: this.progress(`withdrawal ${leafIndex + 1} of 2`) });
      const carried = this.#spent.carried(nullifierHash);
      this.#spent.add(nullifierHash);
      withdrawals.push({
        ...{ root, rootNumber: 0, nullifierHash, fee: this.#fee, refund: 0n },
        ...{ recipient, relayer, proof, carried },
      });
      this.emit({ event: "proved", publicSignals, milliseconds: elapsedMs(began) });
    }
    return withdrawals;
  }

  async #withdraw(withdrawals: Withdrawals, relayer: Wallet, denomination: bigint): Promise<void> {
    const began = monotonicClock.now();
    const accounts = {
      ...{ recipient: withdrawals[0].recipient, relayer: relayer.address, pool: this.pool.address },
    };
    const before = await this.readBalances(accounts);
    const value = await this.pool.getWithdrawManyValue(withdrawals.length, 0n);
    const message = this.pool.buildWithdrawManyMessage(withdrawals, { value });
    const { tx } = await this.send(relayer, message, "withdrawal");
    for (const { nullifierHash } of withdrawals) {
      const carried = this.#spent.carried(nullifierHash);
      assertClaim(await this.pool.getIsSpentBy(nullifierHash, carried), "the pool has both notes as spent");
    }
    this.emit({ event: "confirmed", tx: tx.hash, milliseconds: elapsedMs(began) });
    const paid = BigInt(withdrawals.length) * (denomination - this.#fee);
    await waitForClaim("the recipient is paid twice, and the relayer its fees", async () => {
      const now = await this.readBalances(accounts);
      return now.recipient === before.recipient + paid && now.relayer > before.relayer;
    });
    const after = await this.readBalances(accounts);
    this.emit({ event: "balances", accounts: balanceChanges(accounts, before, after) });
  }
}
