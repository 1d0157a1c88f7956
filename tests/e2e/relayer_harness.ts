/**
 * A relayer on a localnet, all real: endpoint, emulator, contracts, proofs, store. Between the two stands a gate that a
 * test may shut, so that the endpoint is down for the relayer and for nobody else.
 */
import type { Address } from "@ton/core";
import { addressToField } from "../../src/core/address_field.ts";
import type { Deployment, Deployments } from "../../src/core/deployments.ts";
import { combinedVkeyHash } from "../../src/core/groth16.ts";
import { MerkleTree } from "../../src/core/merkle_tree.ts";
import { createNote, type Note } from "../../src/core/note.ts";
import { createApp } from "../../src/http/app.ts";
import { type Localnet, type LocalWallet, startLocalnet } from "../../src/localnet/localnet.ts";
import { createProver, type Prover } from "../../src/prover/prover.ts";
import type { HourlyCaps } from "../../src/relay/hourly_caps.ts";
import { type Relayer, startRelayer } from "../../src/relay/relayer.ts";
import type { Store } from "../../src/store/store.ts";
import type { TreeSnapshots } from "../../src/store/tree_snapshots.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import type { Metrics } from "../../src/telemetry/metrics.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { Pool } from "../../src/ton/pool.ts";
import { connect } from "../../src/ton/toncenter.ts";
import { openWallet, type Wallet } from "../../src/ton/wallet.ts";

// deno-lint-ignore no-explicit-any
export type Answer = { status: number; body: any; headers: Headers };

/** Parts of a withdrawal that a test may choose. */
export interface WithdrawChoice {
  readonly recipient: Address;
  readonly fee?: bigint;
  readonly refund?: bigint;
  /** Default: the relayer. */
  readonly relayer?: Address;
}

/** What a test puts in place of a part. */
export interface Replaced {
  readonly store?: (store: Store) => Store;
  /** Default: the embedded one, in the harness's directory. */
  readonly openStore?: () => Promise<Store>;
  readonly chain?: (chain: Chain) => Chain;
  readonly deployments?: Deployments;
  readonly caps?: HourlyCaps;
  /** Signs for the relayer, instead of the localnet's own for it. */
  readonly signer?: LocalWallet;
  /** What a withdrawal of jettons may cost at most, nano. */
  readonly maxCostNano?: bigint;
  /** Default: none. */
  readonly metrics?: Metrics;
  /** Default: none. */
  readonly snapshots?: TreeSnapshots;
}

/** A running network with one relayer. */
export class Harness implements AsyncDisposable {
  readonly trees = new Map<string, MerkleTree>();
  relayer!: Relayer;
  /** The running relayer's own. */
  store!: Store;
  /** While true the relayer's endpoint answers nothing. */
  shut = false;
  /** The relayer's address. */
  relayerAddress: Address;
  #app!: ReturnType<typeof createApp>;

  private constructor(
    readonly localnet: Localnet,
    readonly chain: Chain,
    readonly user: Wallet,
    readonly prover: Prover,
    readonly directory: string,
  ) {
    this.relayerAddress = localnet.relayer.address;
  }

  /** Starts everything; the relayer too, unless told otherwise. */
  static async start(options: { blockTimeMs?: number; relayer?: boolean } = {}): Promise<Harness> {
    const localnet = await startLocalnet({ blockTimeMs: options.blockTimeMs ?? 200 });
    const chain = connect({ endpoint: localnet.url });
    const [{ mnemonic, version }] = localnet.wallets;
    const harness = new Harness(
      localnet,
      chain,
      await openWallet(mnemonic, { version, network: "localnet", chain }),
      await createProver(),
      await Deno.makeTempDir({ prefix: "tonado-e2e-" }),
    );
    if (options.relayer !== false) await harness.startRelayer();
    return harness;
  }

  /** Starts the relayer on the harness's data directory, as the composition root does. */
  async startRelayer(wrap: Replaced = {}): Promise<void> {
    const { mnemonic, version, address } = wrap.signer ?? this.localnet.relayer;
    this.relayerAddress = address;
    const { maxCostNano } = wrap;
    const own = connect({
      endpoint: this.localnet.url,
      attempts: 1,
      fetch: (input, init) =>
        this.shut ? Promise.reject(new TypeError("connection refused")) : fetch(input, init),
    });
    const chain = wrap.chain?.(own) ?? own;
    this.store = await (wrap.openStore?.() ?? openKvStore(this.directory));
    this.relayer = startRelayer({
      config: { network: "localnet", fee: { bps: 50, minNano: 50_000_000n, maxCostNano }, indexer: {} },
      chain,
      wallet: await openWallet(mnemonic, { version, network: "localnet", chain }),
      store: wrap.store?.(this.store) ?? this.store,
      prover: this.prover,
      vkeyHash: combinedVkeyHash(this.prover.vkeyHash),
      deployments: wrap.deployments ?? this.localnet.deployments,
      ...wrap.snapshots ? { snapshots: wrap.snapshots } : {},
      ...(wrap.metrics === undefined ? {} : { metrics: wrap.metrics }),
      ...(wrap.caps === undefined ? {} : { caps: wrap.caps }),
      log: rootLog(),
    });
    this.#app = createApp(this.relayer, rootLog());
  }

  pool(key: string): Deployment {
    return this.localnet.deployments.pools.get(key)!;
  }

  contract(key: string): Pool {
    return new Pool(this.chain, this.pool(key).address);
  }

  /** The relayer's API as a client's fetch. */
  async request(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return await this.#app.request(input, init);
  }

  async get(path: string): Promise<Answer> {
    return await answerOf(await this.#app.request(path));
  }

  async post(path: string, body: unknown): Promise<Answer> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return await answerOf(await this.#app.request(path, init));
  }

  /** Deposits a fresh note and waits until the pool has taken it. */
  async deposit(key: string): Promise<Note> {
    const { asset, amount } = this.pool(key);
    const note = createNote({ asset, amount, network: "localnet" });
    const tree = this.tree(key);
    const leafIndex = tree.size;
    const [prevRoot, newRoot] = [tree.root, tree.rootAfter(note.commitment)];
    const { pathElements } = tree.zeroPath();
    const { commitment } = note;
    const { proof } = await this.prover.proveDeposit({
      prevRoot,
      newRoot,
      commitment,
      leafIndex,
      pathElements,
    });
    const pool = this.contract(key);
    await pool.sendDeposit(this.user.sender(), { commitment, newRoot, leafIndex, proof });
    await until(`leaf ${leafIndex} of ${key}`, async () => await pool.getNextIndex() > leafIndex);
    tree.append(commitment);
    return note;
  }

  /** The body of a withdrawal, proved against the tree as it is now. */
  async withdrawal(key: string, note: Note, choice: WithdrawChoice) {
    const { recipient, fee = 60_000_000n, refund = 0n, relayer = this.relayerAddress } = choice;
    const tree = this.tree(key);
    const { proof, publicSignals } = await this.prover.proveWithdraw({
      root: tree.root,
      nullifierHash: note.nullifierHash,
      recipient: addressToField(recipient),
      relayer: addressToField(relayer),
      fee,
      refund,
      nullifier: note.nullifier,
      secret: note.secret,
      ...tree.path(tree.indexOf(note.commitment)),
    });
    return { ...this.unproved(key, note, choice), proof, publicSignals };
  }

  /** The same without its proof. */
  unproved(key: string, note: Note, choice: WithdrawChoice) {
    const { recipient, fee = 60_000_000n, refund = 0n, relayer = this.relayerAddress } = choice;
    const parties = [addressToField(recipient), addressToField(relayer)];
    const publicSignals = [this.tree(key).root, note.nullifierHash, ...parties, fee, refund].map(String);
    return {
      pool: this.pool(key).address.toString(),
      publicSignals,
      recipient: recipient.toString(),
      fee: String(fee),
      refund: String(refund),
    };
  }

  /** Waits until the pool is ready with as many leaves as the harness knows. */
  async untilIndexed(key: string): Promise<void> {
    await until(`${key} is indexed`, () => {
      const { ready, leaves } = this.relayer.readiness().pools[key];
      return ready && leaves === this.tree(key).size;
    });
  }

  /** Waits until `/withdraw/status` says one of `states`. */
  async untilState(
    body: { pool: string; nullifierHash: string },
    ...states: string[]
  ): Promise<Answer["body"]> {
    let last: Answer["body"];
    await until(`state ${states}`, async () => {
      last = (await this.post("/withdraw/status", body)).body;
      return states.includes(last.state);
    });
    return last;
  }

  tree(key: string): MerkleTree {
    const tree = this.trees.get(key) ?? new MerkleTree();
    this.trees.set(key, tree);
    return tree;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relayer?.close();
    this.prover.close();
    await this.localnet.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** `target` with some of its methods replaced. */
export function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(name in methods ? methods : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Looks again until `holds`; two minutes at most, then it is an error that says what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!await holds()) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json().catch(() => undefined),
  };
}
