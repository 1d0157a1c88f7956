/**
 * The whole way of a note on a local network, on real parts: three deposits, a tree rebuilt from the relayer's pages, a
 * proof, a relayed withdrawal to a fresh address, and a double spend that is refused twice. Every figure in an event
 * was read back from the chain or the relayer, and every claim that fails throws.
 */
import type { Address } from "@ton/core";
import { depositNative } from "../client/deposit.ts";
import { depositJetton } from "../client/deposit_jetton.ts";
import type { PoolJetton } from "../client/note_pool.ts";
import { RelayerClient, type WithdrawArgs } from "../client/relayer_client.ts";
import { fromRelayer, syncTree } from "../client/tree_sync.ts";
import { buildWithdrawArgs } from "../client/withdraw.ts";
import { poolKey } from "../core/deployments.ts";
import { exitCodeName, Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import { createNote, type Note } from "../core/note.ts";
import { Secret } from "../core/secret.ts";
import { NATIVE_DECIMALS, parseUnits } from "../core/units.ts";
import type { Progress, Prover } from "../prover/prover.ts";
import type { Chain } from "../ton/chain.ts";
import { jettonWalletAddress, jettonWalletData } from "../ton/jetton.ts";
import { Pool } from "../ton/pool.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { Wallet } from "../ton/wallet.ts";
import type { BalanceChange, DemoAsset, DemoEvent } from "./demo_events.ts";
import { each, freshAddress, must, show, since, until } from "./demo_support.ts";
import { localConfig } from "./local_config.ts";
import type { RunningLocalnet, RunningRelayer, Wiring } from "./wiring.ts";

/** Pool of the demonstration, for each asset. */
const AMOUNT = "10";
const DEPOSITS = 3;
/** A fresh address cannot move jettons without coins. */
const REFUND = parseUnits("0.1");
/** Nano that a withdrawal of jettons costs at most here, refund aside; it attaches more, and gets the rest back. */
const DEAREST = parseUnits("0.1");
const NETWORK = "localnet";

/**
 * Runs the demonstration and cleans up after itself, also when it fails.
 *
 * @throws {Problem} or an assertion, as soon as anything is not as it must be
 */
export async function runDemo(
  wiring: Wiring,
  dataDir: string,
  emit: (event: DemoEvent) => void,
  asset: DemoAsset = "native",
): Promise<void> {
  const started = performance.now();
  const localnet = await wiring.startLocalnet({ blockTimeMs: 500 });
  let relayer: RunningRelayer | undefined;
  let prover: Prover | undefined;
  try {
    relayer = await wiring.serve(localConfig(localnet, { dataDir, port: 0 }), localnet.deployments);
    prover = await wiring.createProver();
    await new Demo(wiring, localnet, relayer, prover, emit, asset).run();
    emit({ event: "finished", milliseconds: Math.round(performance.now() - started) });
  } finally {
    prover?.close();
    await relayer?.close();
    await localnet.close();
  }
}

class Demo {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #relayer: RelayerClient;
  readonly #key: string;
  /** Of the demonstration in jettons. */
  readonly #jetton?: PoolJetton;

  constructor(
    readonly wiring: Wiring,
    readonly localnet: RunningLocalnet,
    readonly relayer: RunningRelayer,
    readonly prover: Prover,
    readonly emit: (event: DemoEvent) => void,
    asset: DemoAsset,
  ) {
    const { master: jettonMaster, ...jetton } = localnet.jetton;
    if (asset === "jetton") this.#jetton = { ...jetton, jettonMaster };
    this.#key = poolKey({ asset: this.#jetton?.asset ?? "native", amount: AMOUNT });
    const deployment = localnet.deployments.pools.get(this.#key);
    if (!deployment) throw new Error(`the local network has no pool ${this.#key}`);
    this.#chain = wiring.connect("localnet", { url: localnet.url });
    this.#pool = new Pool(this.#chain, deployment.address);
    this.#relayer = new RelayerClient(relayer.url, { attempts: 1 });
  }

  async run(): Promise<void> {
    const pool = this.#pool;
    const denomination = await pool.getDenomination();
    this.emit({
      event: "started",
      indexer: this.localnet.url,
      relayer: this.relayer.url,
      pool: show(pool.address, true),
      asset: this.#jetton?.asset ?? "native",
      decimals: this.#jetton?.decimals ?? NATIVE_DECIMALS,
      denomination,
      keys: this.prover.label,
    });
    const wallets = await Promise.all(this.localnet.wallets.map((wallet) => this.#open(wallet)));
    const notes = await this.#deposit(wallets);
    const args = await this.#prove(notes[1], freshAddress());
    await this.#withdraw(notes[1], args, denomination);
    await this.#spendAgain(notes[1], args, wallets[wallets.length - 1]);
  }

  async #deposit(wallets: readonly Wallet[]): Promise<Note[]> {
    const tree = new MerkleTree();
    const notes: Note[] = [];
    for (let i = 0; i < DEPOSITS; i++) {
      const began = performance.now();
      const note = createNote({
        asset: this.#jetton?.asset ?? "native",
        amount: AMOUNT,
        network: NETWORK,
      });
      const wallet = wallets[i % wallets.length];
      const request = {
        chain: this.#chain,
        pool: this.#pool,
        network: NETWORK,
        wallet,
        note,
        tree,
        prover: this.prover,
        pollMs: 100,
      } as const;
      const options = { onProgress: this.#progress(`deposit ${i + 1} of ${DEPOSITS}`) };
      const { leafIndex, tx } = this.#jetton
        ? await depositJetton({ ...request, jetton: this.#jetton }, options)
        : await depositNative(request, options);
      notes.push(note);
      this.emit({
        event: "deposited",
        leafIndex,
        commitment: toHex(note.commitment),
        root: toHex(await this.#pool.getCurrentRoot()),
        tx: tx.hash,
        milliseconds: since(began),
      });
    }
    return notes;
  }

  async #prove(note: Note, recipient: Address): Promise<WithdrawArgs> {
    const { relayerAddress } = await this.#relayer.status();
    const fee = await this.#relayer.feeFloor(this.#key);
    const root = await this.#pool.getCurrentRoot();
    await until(
      "the relayer has indexed the deposits",
      async () => await this.#relayer.treeRoot(this.#pool.address) === root,
    );
    const source = fromRelayer(this.#relayer, this.#pool.address);
    const tree = await syncTree(this.#pool, source);
    const knownToPool = (await this.#pool.getRootHistory()).includes(tree.root);
    must(knownToPool && tree.size === DEPOSITS, "the rebuilt tree is the pool's");
    this.emit({ event: "tree_rebuilt", leaves: tree.size, root: toHex(tree.root), knownToPool });
    const began = performance.now();
    const args = await buildWithdrawArgs({
      pool: this.#pool,
      network: NETWORK,
      note,
      jetton: this.#jetton,
      source,
      tree,
      recipient,
      relayer: relayerAddress,
      fee,
      refund: this.#jetton ? REFUND : 0n,
      prover: this.prover,
    }, { onProgress: this.#progress("the withdrawal") });
    this.emit({ event: "proved", publicSignals: args.publicSignals, milliseconds: since(began) });
    return args;
  }

  async #withdraw(note: Note, args: WithdrawArgs, denomination: bigint): Promise<void> {
    const { relayerAddress } = await this.#relayer.status();
    const accounts = { recipient: args.recipient, relayer: relayerAddress, pool: this.#pool.address };
    const before = await this.#balances(accounts);
    const coinsBefore = await this.#coins(accounts);
    const began = performance.now();
    const answer = await this.#relayer.withdraw(args);
    must(answer.state === "sent", "the relayer has sent the withdrawal");
    const { seqno, fee } = answer as { seqno: number; fee: bigint };
    this.emit({ event: "submitted", seqno, fee, refund: args.refund, recipient: show(args.recipient) });
    let tx = "";
    await until("the withdrawal is confirmed", async () => {
      const status = await this.#relayer.withdrawStatus(this.#pool.address, note.nullifierHash);
      must(
        status.state !== "failed" && status.state !== "expired",
        `the withdrawal did not fail (${status.reason})`,
      );
      tx = status.txHash ?? "";
      return status.state === "confirmed";
    });
    must(await this.#pool.getIsSpent(note.nullifierHash), "the pool says that the nullifier hash is spent");
    this.emit({ event: "confirmed", tx, milliseconds: since(began) });

    const paid = denomination - args.fee + (this.#jetton ? 0n : args.refund);
    const feeToCome = this.#jetton ? args.fee : 0n; // by a transfer of its own
    await until("recipient and relayer are paid", async () => {
      const now = await this.#balances(accounts);
      return now.recipient === before.recipient + paid && now.relayer >= before.relayer + feeToCome;
    });
    const after = await this.#balances(accounts);
    const changes = <T extends typeof before>(from: T, to: T) =>
      (["recipient", "relayer", "pool"] as const).map((account): BalanceChange => ({
        account,
        address: show(accounts[account], account === "pool"),
        before: from[account],
        after: to[account],
      }));
    this.emit({ event: "balances", accounts: changes(before, after) });
    must(after.relayer > before.relayer, "the relayer earned its fee, gas paid");
    if (!this.#jetton) return;
    let coins = await this.#coins(accounts);
    await until("the relayer has back what it attached", async () => {
      coins = await this.#coins(accounts);
      return coins.relayer > coinsBefore.relayer - args.refund - DEAREST;
    });
    this.emit({ event: "native_balances", accounts: changes(coinsBefore, coins) });
    must(coins.recipient === coinsBefore.recipient + args.refund, "the recipient has its first coins");
  }

  /** Tries the same note twice more: through the relayer, and past it, straight at the pool. */
  async #spendAgain(note: Note, args: WithdrawArgs, attacker: Wallet): Promise<void> {
    const refusal = await this.#relayer.withdraw(args).then(() => undefined, (error) => error);
    must(
      refusal instanceof Problem && refusal.code === "nullifier_already_used",
      "the relayer refuses a double spend",
    );
    this.emit({ event: "double_spend_refused", by: "relayer", reason: (refusal as Problem).code });

    const cursor = (await this.#chain.account(this.#pool.address)).last;
    await this.#pool.sendWithdraw(attacker.sender(), {
      root: BigInt(args.publicSignals[0]),
      nullifierHash: note.nullifierHash,
      fee: args.fee,
      refund: args.refund,
      recipient: args.recipient,
      relayer: (await this.#relayer.status()).relayerAddress,
      proof: args.proof,
    });
    let reason = "";
    await until("the pool has answered the double spend", async () => {
      for await (
        const { events } of scanPoolTransactions(this.#chain, this.#pool.address, { after: cursor })
      ) {
        for (const event of events) {
          if (!event.sender.equals(attacker.address)) continue;
          must(event.kind === "refused", "the pool refuses a double spend");
          if (event.kind === "refused") reason = exitCodeName(event.exitCode ?? 0) ?? String(event.exitCode);
        }
      }
      return reason !== "";
    });
    must(reason === "ERR_ALREADY_SPENT", `the pool refuses with ERR_ALREADY_SPENT (${reason})`);
    this.emit({ event: "double_spend_refused", by: "pool", reason });
  }

  /** In the asset of the demonstration. */
  #balances<K extends string>(accounts: Record<K, Address>): Promise<Record<K, bigint>> {
    const jetton = this.#jetton;
    if (!jetton) return this.#coins(accounts);
    return each(accounts, async (owner) => {
      const wallet = await jettonWalletAddress(this.#chain, jetton.jettonMaster, owner);
      return (await jettonWalletData(this.#chain, wallet))?.balance ?? 0n;
    });
  }

  #coins<K extends string>(accounts: Record<K, Address>): Promise<Record<K, bigint>> {
    return each(accounts, async (address) => (await this.#chain.account(address)).balance);
  }

  #progress(what: string): (progress: Progress) => void {
    return ({ stage, fraction }) => this.emit({ event: "proving", what, stage, fraction });
  }

  #open({ mnemonic, version }: { mnemonic: string; version: Wallet["version"] }): Promise<Wallet> {
    return this.wiring.openWallet(new Secret(mnemonic), { version, network: NETWORK, chain: this.#chain });
  }
}
