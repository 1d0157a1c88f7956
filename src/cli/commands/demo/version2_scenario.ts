/** Notes of a version 2 pool: deposits without proofs, a settlement, two withdrawals in one message. */
import type { Address } from "@ton/core";
import { poseidon } from "../../../core/crypto/poseidon.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { exitCodeName } from "../../../core/errors/problem.ts";
import { addressToField, settlerToField } from "../../../core/protocol/messages/address_field.ts";
import { createNote, type Note } from "../../../core/protocol/note.ts";
import { NATIVE_DECIMALS, parseUnits } from "../../../core/protocol/units.ts";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { depositComment } from "../../../core/protocol/v2/messages.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { Secret } from "../../../core/text/secret.ts";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { settlementInputs } from "../../../core/tree/settlement.ts";
import type { ProofProgress, Prover } from "../../../prover/prover.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { fetchJettonWalletAddress } from "../../../ton/jetton/jetton.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { depositorOf } from "../../../ton/pool/history/event_decoder.ts";
import { scanPoolTransactions } from "../../../ton/pool/history/scan.ts";
import { type PoolWithdraw2Args, V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { OutgoingMessage, Wallet } from "../../../ton/wallet/wallet.ts";
import type { CliContext, RunningLocalnet } from "../../context.ts";
import { assertClaim, elapsedMs, formatLocalnetAddress, freshAddress, waitForClaim } from "./assertions.ts";
import { balanceChanges, type DemoAccounts, readJettonBalances, readNativeBalances } from "./balances.ts";
import type { DemoEvent } from "./events.ts";

const DEPOSIT_COUNT = 3;
/** The fee is this part of a note. */
const FEE_PART = 100n;
/** Attached to the settlement; the pool returns what it does not need, with the reward. */
const SETTLEMENT_VALUE_NANO = parseUnits("0.2");
const NETWORK = "localnet";

type Withdrawals = readonly PoolWithdraw2Args[];

export class Version2Scenario {
  readonly #chain: Chain;
  readonly #pool: V2Pool;
  readonly #deployment: Deployment;
  readonly #tree = new MerkleTree();
  readonly #spent = new SpentSet();

  constructor(
    readonly context: CliContext,
    readonly localnet: RunningLocalnet,
    readonly prover: Prover,
    readonly emit: (event: DemoEvent) => void,
    key: string,
  ) {
    const deployment = localnet.deployments.pools.get(key);
    if (!deployment) throw new Error(`the local network has no pool ${key}`);
    this.#deployment = deployment;
    this.#chain = context.connect("localnet", { url: localnet.url });
    this.#pool = new V2Pool(this.#chain, deployment.address);
  }

  async run(): Promise<void> {
    const denomination = await this.#pool.getDenomination();
    const relayer = await this.#openWallet(this.localnet.relayer);
    const wallets = await Promise.all(this.localnet.wallets.map((wallet) => this.#openWallet(wallet)));
    const { asset, decimals = NATIVE_DECIMALS } = this.#deployment;
    this.emit({
      ...{ event: "started", indexer: this.localnet.url, asset, decimals },
      ...{ pool: formatLocalnetAddress(this.#pool.address, true), denomination, keys: this.prover.label },
    });
    const notes: Note[] = [];
    for (let i = 0; i < DEPOSIT_COUNT; i++) {
      notes.push(await this.#deposit(wallets[i % wallets.length], denomination));
    }
    await this.#settle(relayer);
    const withdrawals = await this.#prove(notes, relayer.address, freshAddress());
    await this.#withdraw(withdrawals, relayer, denomination);
    await this.#attemptDoubleSpend(withdrawals[0], wallets[0]);
  }

  get #fee(): bigint {
    return this.#deployment.denomination / FEE_PART;
  }

  /** Pays coins with a text comment, as any wallet can, and jettons with one transfer. */
  async #deposit(wallet: Wallet, denomination: bigint): Promise<Note> {
    const began = performance.now();
    const { asset, amount, jettonMaster } = this.#deployment;
    const note = createNote({ asset, amount, network: NETWORK, version: 2 });
    const { commitment } = note;
    const message = jettonMaster
      ? this.#pool.buildJettonDepositMessage({
        ...{ commitment, amount: denomination, owner: wallet.address },
        jettonWallet: await fetchJettonWalletAddress(this.#chain, jettonMaster, wallet.address),
        forwardAmount: await this.#pool.getDepositValue(),
      })
      : this.#pool.buildCommentDepositMessage({ commitment, value: denomination });
    const deposit = await this.#send(
      wallet,
      message,
      (event) => event.kind === "deposit" ? event : undefined,
    );
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
    const began = performance.now();
    const queue = (await this.#readEvents()).flatMap((event) =>
      event.kind === "deposit" ? [event.commitment] : []
    );
    const input = settlementInputs(this.#tree, queue, settlerToField(settler.address));
    const { proof } = await this.prover.proveSettlement(input, {
      onProgress: this.#progress("the settlement"),
    });
    const { newRoot } = input;
    const end = queue.length;
    const message = this.#pool.buildSettleMessage({ newRoot, end, proof, value: SETTLEMENT_VALUE_NANO });
    const settlement = await this.#send(
      settler,
      message,
      (event) => event.kind === "settlement" ? event : undefined,
    );
    this.#tree.appendMany(queue);
    assertClaim(await this.#pool.getCurrentRoot() === this.#tree.root, "the rebuilt tree is the pool's");
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
      const began = performance.now();
      const { nullifier, secret } = notes[leafIndex];
      const nullifierHash = poseidon([nullifier, BigInt(leafIndex)]);
      const { proof, publicSignals } = await this.prover.proveWithdraw2({
        ...{ root, nullifierHash, fee: this.#fee, refund: 0n, nullifier, secret },
        ...{ recipient: addressToField(recipient), relayer: addressToField(relayer) },
        ...this.#tree.path(leafIndex),
      }, { onProgress: this.#progress(`withdrawal ${leafIndex + 1} of 2`) });
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
    const began = performance.now();
    const accounts = {
      ...{ recipient: withdrawals[0].recipient, relayer: relayer.address, pool: this.#pool.address },
    };
    const before = await this.#readBalances(accounts);
    const value = await this.#pool.getWithdrawManyValue(withdrawals.length, 0n);
    const message = this.#pool.buildWithdrawManyMessage(withdrawals, { value });
    const { tx } = await this.#send(
      relayer,
      message,
      (event) => event.kind === "withdrawal" ? event : undefined,
    );
    for (const { nullifierHash } of withdrawals) {
      const carried = this.#spent.carried(nullifierHash);
      assertClaim(await this.#pool.getIsSpentBy(nullifierHash, carried), "the pool has both notes as spent");
    }
    this.emit({ event: "confirmed", tx: tx.hash, milliseconds: elapsedMs(began) });
    const paid = BigInt(withdrawals.length) * (denomination - this.#fee);
    await waitForClaim("the recipient is paid twice, and the relayer its fees", async () => {
      const now = await this.#readBalances(accounts);
      return now.recipient === before.recipient + paid && now.relayer > before.relayer;
    });
    const after = await this.#readBalances(accounts);
    this.emit({ event: "balances", accounts: balanceChanges(accounts, before, after) });
  }

  #readBalances(accounts: DemoAccounts) {
    const { jettonMaster } = this.#deployment;
    return jettonMaster
      ? readJettonBalances(this.#chain, jettonMaster, accounts)
      : readNativeBalances(this.#chain, accounts);
  }

  async #attemptDoubleSpend(withdrawal: PoolWithdraw2Args, attacker: Wallet): Promise<void> {
    const carried = this.#spent.carried(withdrawal.nullifierHash);
    const value = await this.#pool.getWithdrawValue(0n);
    const message = this.#pool.buildWithdrawMessage({ ...withdrawal, carried, value });
    const { exitCode } = await this.#send(
      attacker,
      message,
      (event) => event.kind === "refused" ? event : undefined,
    );
    const reason = exitCodeName(exitCode ?? 0) ?? String(exitCode);
    assertClaim(reason === "ERR_ALREADY_SPENT", `the pool refuses with ERR_ALREADY_SPENT (${reason})`);
    this.emit({ event: "double_spend_refused", by: "pool", reason });
  }

  /** Sends a message and returns the event that the pool answers it with. Another answer is an error. */
  async #send<Answer>(
    wallet: Wallet,
    message: OutgoingMessage,
    answer: (event: PoolEvent) => Answer | undefined,
  ): Promise<Answer> {
    const after = (await this.#chain.account(this.#pool.address)).last;
    await wallet.send([message]);
    let event: PoolEvent | undefined;
    await waitForClaim("the pool has answered", async () => {
      event = (await this.#readEvents(after)).find((event) => payerOf(event).equals(wallet.address));
      return event !== undefined;
    });
    const expected = answer(event!);
    assertClaim(expected !== undefined, `the pool does what was asked (${event!.kind})`);
    return expected;
  }

  async #readEvents(after?: PoolEvent["tx"]): Promise<PoolEvent[]> {
    const found: PoolEvent[] = [];
    const options = { after, capacity: V2_POOL_CAPACITY };
    for await (const { events } of scanPoolTransactions(this.#chain, this.#pool.address, options)) {
      found.push(...events);
    }
    return found;
  }

  #progress(what: string): (progress: ProofProgress) => void {
    return ({ stage, fraction }) => this.emit({ event: "proving", what, stage, fraction });
  }

  #openWallet({ mnemonic, version }: { mnemonic: string; version: Wallet["version"] }): Promise<Wallet> {
    return this.context.openWallet(new Secret(mnemonic), { version, network: NETWORK, chain: this.#chain });
  }
}

/** A pool of jettons is notified by its own wallet. */
function payerOf(event: PoolEvent): Address {
  return event.kind === "deposit" || event.kind === "refused" ? depositorOf(event) : event.sender;
}
