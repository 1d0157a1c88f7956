/**
 * The whole way of a note on a local network, on real parts: three deposits, a tree rebuilt from the relayer's pages, a
 * proof, a relayed withdrawal to a fresh address, and a double spend that is refused twice. Every figure in an event
 * was read back from the chain or the relayer, and every claim that fails throws.
 */
import { randomBytes } from "node:crypto";
import type { Address } from "@ton/core";
import { keyPairFromSeed } from "@ton/crypto";
import { WalletContractV4 } from "@ton/ton";
import { depositNative } from "../client/deposit.ts";
import { RelayerClient, type WithdrawArgs } from "../client/relayer_client.ts";
import { fromRelayer, syncTree } from "../client/tree_sync.ts";
import { buildWithdrawArgs } from "../client/withdraw.ts";
import { exitCodeName, Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import { createNote, type Note } from "../core/note.ts";
import { Secret } from "../core/secret.ts";
import type { Progress, Prover } from "../prover/prover.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { Wallet } from "../ton/wallet.ts";
import { localConfig } from "./local_config.ts";
import type { RunningLocalnet, RunningRelayer, Wiring } from "./wiring.ts";

/** Pool of the demonstration. */
const POOL_KEY = "native-10";
const DEPOSITS = 3;
const NETWORK = "localnet";

/** What happened, in the order in which it happens. Amounts in nano, field elements as canonical hex. */
export type DemoEvent =
  | { event: "started"; indexer: string; relayer: string; pool: string; denomination: bigint; keys: string }
  | {
    event: "deposited";
    leafIndex: number;
    commitment: string;
    root: string;
    tx: string;
    milliseconds: number;
  }
  | { event: "tree_rebuilt"; leaves: number; root: string; knownToPool: boolean }
  | { event: "proving"; what: string; stage: string; fraction: number }
  | { event: "proved"; publicSignals: readonly string[]; milliseconds: number }
  | { event: "submitted"; seqno: number; fee: bigint; refund: bigint; recipient: string }
  | { event: "confirmed"; tx: string; milliseconds: number }
  | { event: "balances"; accounts: readonly BalanceChange[] }
  | { event: "double_spend_refused"; by: "relayer" | "pool"; reason: string }
  | { event: "finished"; milliseconds: number };

/** An account before and after the withdrawal. */
export interface BalanceChange {
  readonly account: "recipient" | "relayer" | "pool";
  readonly address: string;
  readonly before: bigint;
  readonly after: bigint;
}

/**
 * Runs the demonstration and cleans up after itself, also when it fails.
 *
 * @throws {Problem} or an assertion, as soon as anything is not as it must be
 */
export async function runDemo(
  wiring: Wiring,
  dataDir: string,
  emit: (event: DemoEvent) => void,
): Promise<void> {
  const started = performance.now();
  const localnet = await wiring.startLocalnet({ blockTimeMs: 500 });
  let relayer: RunningRelayer | undefined;
  let prover: Prover | undefined;
  try {
    relayer = await wiring.serve(localConfig(localnet, { dataDir, port: 0 }), localnet.deployments);
    prover = await wiring.createProver();
    await new Demo(wiring, localnet, relayer, prover, emit).run();
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

  constructor(
    readonly wiring: Wiring,
    readonly localnet: RunningLocalnet,
    readonly relayer: RunningRelayer,
    readonly prover: Prover,
    readonly emit: (event: DemoEvent) => void,
  ) {
    const deployment = localnet.deployments.pools.get(POOL_KEY);
    if (!deployment) throw new Error(`the local network has no pool ${POOL_KEY}`);
    this.#chain = wiring.connect(localnet.url);
    this.#pool = new Pool(this.#chain, deployment.address);
    this.#relayer = new RelayerClient(relayer.url);
  }

  async run(): Promise<void> {
    const pool = this.#pool;
    const denomination = await pool.getDenomination();
    this.emit({
      event: "started",
      indexer: this.localnet.url,
      relayer: this.relayer.url,
      pool: show(pool.address, true),
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
      const note = createNote({ asset: "native", amount: "10", network: NETWORK });
      const wallet = wallets[i % wallets.length];
      const { leafIndex, tx } = await depositNative({
        chain: this.#chain,
        pool: this.#pool,
        network: NETWORK,
        wallet,
        note,
        tree,
        prover: this.prover,
        pollMs: 100,
      }, { onProgress: this.#progress(`deposit ${i + 1} of ${DEPOSITS}`) });
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
    const fee = await this.#relayer.feeFloor(POOL_KEY);
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
      source,
      tree,
      recipient,
      relayer: relayerAddress,
      fee,
      prover: this.prover,
    }, { onProgress: this.#progress("the withdrawal") });
    this.emit({ event: "proved", publicSignals: args.publicSignals, milliseconds: since(began) });
    return args;
  }

  async #withdraw(note: Note, args: WithdrawArgs, denomination: bigint): Promise<void> {
    const { relayerAddress } = await this.#relayer.status();
    const accounts = { recipient: args.recipient, relayer: relayerAddress, pool: this.#pool.address };
    const before = await this.#balances(accounts);
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

    const paid = denomination - args.fee + args.refund;
    await until(
      "the recipient is paid",
      async () => (await this.#balances(accounts)).recipient === before.recipient + paid,
    );
    const after = await this.#balances(accounts);
    const change = (account: keyof typeof accounts) => ({
      account,
      address: show(accounts[account], account === "pool"),
      before: before[account],
      after: after[account],
    });
    this.emit({ event: "balances", accounts: [change("recipient"), change("relayer"), change("pool")] });
    must(after.relayer > before.relayer, "the relayer earned its fee, gas paid");
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

  async #balances<K extends string>(accounts: Record<K, Address>): Promise<Record<K, bigint>> {
    const names = Object.keys(accounts) as K[];
    const balances = await Promise.all(
      names.map(async (name) => (await this.#chain.account(accounts[name])).balance),
    );
    return Object.fromEntries(names.map((name, i) => [name, balances[i]])) as Record<K, bigint>;
  }

  #progress(what: string): (progress: Progress) => void {
    return ({ stage, fraction }) => this.emit({ event: "proving", what, stage, fraction });
  }

  #open({ mnemonic, version }: { mnemonic: string; version: Wallet["version"] }): Promise<Wallet> {
    return this.wiring.openWallet(new Secret(mnemonic), { version, network: NETWORK, chain: this.#chain });
  }
}

/** Address of a wallet that nobody has used: it is paid before it exists on chain. */
function freshAddress(): Address {
  const { publicKey } = keyPairFromSeed(randomBytes(32));
  return WalletContractV4.create({ workchain: 0, publicKey }).address;
}

/** Wallets are shown non-bounceable, pools bounceable. */
function show(address: Address, bounceable = false): string {
  return address.toString({ bounceable, testOnly: true });
}

function since(began: number): number {
  return Math.round(performance.now() - began);
}

function must(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Error(`this did not happen: ${claim}`);
}

const PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** Polls until `holds`; what the relayer is not ready for yet counts as not yet. */
async function until(claim: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
    const yes = await holds().catch((error) => {
      if (error instanceof Problem && error.code === "not_ready") return false;
      throw error;
    });
    if (yes) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  must(false, `${claim} within ${PATIENCE_MS / 1000} s`);
}
