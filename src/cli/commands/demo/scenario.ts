/** A note's life on a local network with real parts. Figures are read back from the chain or the relayer. */
import type { Address } from "@ton/core";
import { depositNative } from "../../../client/deposit/deposit_native.ts";
import { depositJetton } from "../../../client/deposit/deposit_jetton.ts";
import { type PoolJetton, toPoolJetton } from "../../../client/notes/pool_match.ts";
import { RelayerClient, type WithdrawArgs } from "../../../client/relayer/relayer_client.ts";
import { commitmentsFromRelayer, syncTree } from "../../../client/tree_sync.ts";
import { buildWithdrawArgs } from "../../../client/withdrawal/build_withdraw_args.ts";
import { poolKey } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { Note } from "../../../core/protocol/note.ts";
import { parseUnits } from "../../../core/protocol/units.ts";
import { monotonicClock } from "../../../core/time/clock.ts";
import type { Prover } from "../../../prover/prover.ts";
import type { Pool } from "../../../ton/pool/pool.ts";
import type { Wallet } from "../../../ton/wallet/wallet.ts";
import type { DemoAsset, DemoEvent, DemoPool } from "./events.ts";
import { balanceChanges, readNativeBalances } from "./balances.ts";
import { assertClaim, elapsedMs, formatLocalnetAddress, freshAddress, waitForClaim } from "./assertions.ts";
import { DEPOSIT_COUNT, ScenarioBase } from "./scenario_base.ts";
import { Version2Scenario } from "./version2_scenario.ts";
import { createLocalnetConfig } from "../../options/localnet_config.ts";
import type { CliContext, RunningLocalnet, RunningRelayer } from "../../context.ts";

const POOL_AMOUNT = "10";
const REFUND_NANO = parseUnits("0.1"); // a fresh address cannot move jettons without coins
/** The maximum cost of a jetton withdrawal without its refund; more is attached, and the rest returns. */
const MAX_WITHDRAWAL_COST_NANO = parseUnits("0.1");

export async function runDemo(
  context: CliContext,
  dataDir: string,
  emit: (event: DemoEvent) => void,
  { asset, pool }: { readonly asset: DemoAsset; readonly pool?: DemoPool },
): Promise<void> {
  const started = monotonicClock.now();
  const localnet = await context.startLocalnet({ blockTimeMs: 500 });
  let relayer: RunningRelayer | undefined;
  let prover: Prover | undefined;
  try {
    if (pool?.endsWith("-v2")) {
      prover = await context.createProver();
      await new Version2Scenario(context, localnet, prover, emit, pool).run();
    } else {
      relayer = await context.serve(
        createLocalnetConfig(localnet, { dataDir, port: 0 }),
        localnet.deployments,
      );
      prover = await context.createProver();
      await new DemoScenario(context, localnet, relayer, prover, emit, asset).run();
    }
    emit({ event: "finished", milliseconds: Math.round(monotonicClock.now() - started) });
  } finally {
    prover?.close();
    await relayer?.close();
    await localnet.close();
  }
}

class DemoScenario extends ScenarioBase<Pool> {
  readonly #client: RelayerClient;
  readonly #poolKey: string;
  readonly #jetton: PoolJetton | undefined;

  constructor(
    context: CliContext,
    localnet: RunningLocalnet,
    readonly relayer: RunningRelayer,
    prover: Prover,
    emit: (event: DemoEvent) => void,
    asset: DemoAsset,
  ) {
    const key = poolKey({
      asset: asset === "jetton" ? localnet.jetton.asset : "native",
      amount: POOL_AMOUNT,
    });
    super(context, localnet, prover, emit, key);
    this.#jetton = toPoolJetton(this.deployment);
    this.#poolKey = key;
    this.#client = new RelayerClient(relayer.url, { maxAttempts: 1 });
  }

  async run(): Promise<void> {
    this.emitStarted(this.relayer.url);
    const wallets = await this.openWallets();
    const notes = await this.#deposit(wallets);
    const args = await this.#prove(notes[1], freshAddress());
    await this.#withdraw(notes[1], args);
    await this.#attemptDoubleSpends(notes[1], args, wallets[wallets.length - 1]);
  }

  async #deposit(wallets: readonly Wallet[]): Promise<Note[]> {
    const tree = new MerkleTree();
    const notes: Note[] = [];
    for (let i = 0; i < DEPOSIT_COUNT; i++) {
      const began = monotonicClock.now();
      const note = this.createNote();
      const wallet = wallets[i % wallets.length];
      const request = { ...this.place, wallet, note, tree, prover: this.prover };
      const options = { onProgress: this.progress(`deposit ${i + 1} of ${DEPOSIT_COUNT}`) };
      const { leafIndex, tx } = this.#jetton
        ? await depositJetton({ ...request, jetton: this.#jetton }, options)
        : await depositNative(request, options);
      notes.push(note);
      this.emit({
        event: "deposited",
        leafIndex,
        commitment: fieldToHex(note.commitment),
        root: fieldToHex(await this.pool.getCurrentRoot()),
        tx: tx.hash,
        milliseconds: elapsedMs(began),
      });
    }
    return notes;
  }

  async #prove(note: Note, recipient: Address): Promise<WithdrawArgs> {
    const { relayerAddress } = await this.#client.status();
    const fee = await this.#client.feeFloor(this.#poolKey);
    const root = await this.pool.getCurrentRoot();
    await waitForClaim(
      "the relayer has indexed the deposits",
      async () => await this.#client.treeRoot(this.pool.address) === root,
    );
    const source = commitmentsFromRelayer(this.#client, this.pool.address);
    const tree = await syncTree(this.pool, source);
    const knownToPool = (await this.pool.getRootHistory()).includes(tree.root);
    assertClaim(knownToPool && tree.size === DEPOSIT_COUNT, "the rebuilt tree is the pool's");
    this.emit({ event: "tree_rebuilt", leaves: tree.size, root: fieldToHex(tree.root), knownToPool });
    const began = monotonicClock.now();
    const args = await buildWithdrawArgs({
      ...this.place,
      note,
      jetton: this.#jetton,
      source,
      tree,
      recipient,
      relayer: relayerAddress,
      fee,
      refund: this.#jetton ? REFUND_NANO : 0n,
      prover: this.prover,
    }, { onProgress: this.progress("the withdrawal") });
    this.emit({ event: "proved", publicSignals: args.publicSignals, milliseconds: elapsedMs(began) });
    return args;
  }

  async #withdraw(note: Note, args: WithdrawArgs): Promise<void> {
    const { relayerAddress } = await this.#client.status();
    const accounts = { recipient: args.recipient, relayer: relayerAddress, pool: this.pool.address };
    const before = await this.readBalances(accounts);
    const coinsBefore = await readNativeBalances(this.chain, accounts);
    const began = monotonicClock.now();
    const answer = await this.#client.withdraw(args);
    assertClaim(answer.state === "sent", "the relayer has sent the withdrawal");
    const { seqno, fee } = answer as { seqno: number; fee: bigint };
    const paidTo = formatLocalnetAddress(args.recipient);
    this.emit({ event: "submitted", seqno, fee, refund: args.refund, recipient: paidTo });
    let tx = "";
    await waitForClaim("the withdrawal is confirmed", async () => {
      const status = await this.#client.withdrawalStatus(this.pool.address, note.nullifierHash);
      assertClaim(
        status.state !== "failed" && status.state !== "expired",
        `the withdrawal did not fail (${status.reason})`,
      );
      tx = status.txHash ?? "";
      return status.state === "confirmed";
    });
    assertClaim(
      await this.pool.getIsSpent(note.nullifierHash),
      "the pool says that the nullifier hash is spent",
    );
    this.emit({ event: "confirmed", tx, milliseconds: elapsedMs(began) });

    const paid = this.deployment.denomination - args.fee + (this.#jetton ? 0n : args.refund);
    const feeToCome = this.#jetton ? args.fee : 0n; // by a transfer of its own
    await waitForClaim("recipient and relayer are paid", async () => {
      const now = await this.readBalances(accounts);
      return now.recipient === before.recipient + paid && now.relayer >= before.relayer + feeToCome;
    });
    const after = await this.readBalances(accounts);
    this.emit({ event: "balances", accounts: balanceChanges(accounts, before, after) });
    assertClaim(after.relayer > before.relayer, "the relayer earned its fee, gas paid");
    if (!this.#jetton) return;
    let coins = await readNativeBalances(this.chain, accounts);
    await waitForClaim("the relayer has back what it attached", async () => {
      coins = await readNativeBalances(this.chain, accounts);
      return coins.relayer > coinsBefore.relayer - args.refund - MAX_WITHDRAWAL_COST_NANO;
    });
    this.emit({ event: "native_balances", accounts: balanceChanges(accounts, coinsBefore, coins) });
    assertClaim(coins.recipient === coinsBefore.recipient + args.refund, "the recipient has its first coins");
  }

  async #attemptDoubleSpends(note: Note, args: WithdrawArgs, attacker: Wallet): Promise<void> {
    const refusal = await this.#client.withdraw(args).then(() => undefined, (error) => error);
    assertClaim(
      refusal instanceof Problem && refusal.code === "nullifier_already_used",
      "the relayer refuses a double spend",
    );
    this.emit({ event: "double_spend_refused", by: "relayer", reason: (refusal as Problem).code });

    const { fee, refund, recipient, proof } = args;
    const message = this.pool.buildWithdrawMessage({
      fee,
      refund,
      recipient,
      proof,
      nullifierHash: note.nullifierHash,
      root: BigInt(args.publicSignals[0]),
      relayer: (await this.#client.status()).relayerAddress,
      value: await this.pool.getWithdrawValue(refund),
    });
    await this.attemptDoubleSpend(attacker, message);
  }
}
