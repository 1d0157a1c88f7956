/**
 * A relayer on a localnet with real endpoint, emulator, contracts, verification and store. Unless a test requests
 * the committed keys, proofs are forged with test keys. A test can disconnect the relayer from its endpoint.
 */
import { MovableClock, startTestLocalnet } from "../../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../../testkit/localnet/use_trapdoor_keys.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import type { Address } from "@ton/core";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import type { Deployment, Deployments } from "../../../src/core/protocol/deployments.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { createNote, type Note } from "../../../src/core/protocol/note.ts";
import { createApp } from "../../../src/http/app.ts";
import type { Localnet, LocalWallet } from "../../../src/localnet/localnet.ts";
import type { Prover } from "../../../src/prover/prover.ts";
import type { HourlyCaps } from "../../../src/relay/withdrawals/hourly_caps.ts";
import { type Relayer, type RelayerOptions, startRelayer } from "../../../src/relay/relayer.ts";
import type { SettleMode } from "../../../src/relay/settler/settler.ts";
import type { Store } from "../../../src/store/store.ts";
import type { TreeSnapshotStore } from "../../../src/store/tree_snapshot_store.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import type { Metrics } from "../../../src/telemetry/metrics.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet } from "../../../src/ton/wallet/wallet.ts";
import { sharedProver } from "../prover/shared_prover.ts";
import { requestApp } from "./request_app.ts";

// deno-lint-ignore no-explicit-any
export type HarnessResponse = { status: number; body: any; headers: Headers };

/** Parts of a withdrawal that a test may choose. */
export interface WithdrawalParameters {
  readonly recipient: Address;
  readonly fee?: bigint;
  readonly refund?: bigint;
  /** Default: the relayer. */
  readonly relayer?: Address;
}

/** Replacements of the harness's parts. */
export interface HarnessOverrides {
  readonly store?: (store: Store) => Store;
  /** Default: the embedded store in the harness's directory. */
  readonly openStore?: () => Promise<Store>;
  readonly chain?: (chain: Chain) => Chain;
  readonly deployments?: Deployments;
  readonly caps?: HourlyCaps;
  /** Signs instead of the localnet's wallet for the relayer. */
  readonly signer?: LocalWallet;
  /** The maximum cost of a withdrawal of jettons, in nano. */
  readonly maxCostNano?: bigint;
  readonly metrics?: Metrics;
  /** Default: the relayer settles nothing. */
  readonly settle?: SettleMode;
  /** Milliseconds of {@linkcode RelayerHarness.clock} in which withdrawals are collected. Default: 0. */
  readonly batchMs?: number;
  readonly snapshots?: TreeSnapshotStore;
  /** What the relayer adds to a pool for its storage, at most, in nano a year. Default: 0. */
  readonly topUpNano?: bigint;
  readonly balanceThresholds?: RelayerOptions["balanceThresholds"];
  readonly sendAlert?: RelayerOptions["sendAlert"];
}

export interface HarnessOptions {
  readonly blockTimeMs?: number;
  readonly relayer?: boolean;
  /** `committed` makes real proofs. All harnesses of a test file must use the same keys. Default: `test`. */
  readonly keys?: "test" | "committed";
}

export class RelayerHarness implements AsyncDisposable {
  readonly trees = new Map<string, MerkleTree>();
  relayer!: Relayer;
  /** The store of the running relayer. */
  store!: Store;
  /** If true, the relayer's requests to the endpoint fail. */
  shut = false;
  relayerAddress: Address;
  /** The clock of the relayer and of the localnet. */
  readonly clock: MovableClock;
  #app!: ReturnType<typeof createApp>;

  private constructor(
    readonly localnet: Localnet,
    readonly chain: Chain,
    readonly user: Wallet,
    readonly prover: Prover,
    readonly directory: string,
  ) {
    this.relayerAddress = localnet.relayer.address;
    this.clock = new MovableClock(localnet);
  }

  /** Starts the localnet and, unless `relayer` is false, the relayer. */
  static async start(
    { blockTimeMs = 0, relayer = true, keys = "test" }: HarnessOptions = {},
  ): Promise<RelayerHarness> {
    if (keys === "test") await useTrapdoorKeys();
    const localnet = await startTestLocalnet({ blockTimeMs });
    const chain = connect({ endpoint: localnet.url });
    const [{ mnemonic, version }] = localnet.wallets;
    const harness = new RelayerHarness(
      localnet,
      chain,
      await openWallet(mnemonic, { version, network: "localnet", chain }),
      await sharedProver(),
      await Deno.makeTempDir({ prefix: "tonado-e2e-" }),
    );
    if (relayer) await harness.startRelayer();
    return harness;
  }

  /** Starts a relayer on the harness's data directory, as the composition root does. */
  async startRelayer(wrap: HarnessOverrides = {}): Promise<void> {
    const { mnemonic, version, address } = wrap.signer ?? this.localnet.relayer;
    this.relayerAddress = address;
    const { maxCostNano, settle, batchMs = 0 } = wrap;
    const own = connect({
      endpoint: this.localnet.url,
      attempts: 1,
      fetch: (input, init) =>
        this.shut ? Promise.reject(new TypeError("connection refused")) : fetch(input, init),
    });
    const chain = wrap.chain?.(own) ?? own;
    this.store = await (wrap.openStore?.() ?? openKvStore(this.directory));
    this.relayer = startRelayer({
      config: {
        network: "localnet",
        fee: { bps: 50, minNano: 50_000_000n, maxCostNano },
        endpoint: {},
        ...settle && { settle },
        batchMs,
        topUpNano: wrap.topUpNano,
      },
      balanceThresholds: wrap.balanceThresholds,
      sendAlert: wrap.sendAlert,
      chain,
      wallet: await openWallet(mnemonic, { version, network: "localnet", chain }),
      store: wrap.store?.(this.store) ?? this.store,
      prover: this.prover,
      vkeyHashes: this.prover.poolKeyHashes,
      deployments: wrap.deployments ?? this.localnet.deployments,
      ...wrap.snapshots ? { snapshots: wrap.snapshots } : {},
      ...(wrap.metrics === undefined ? {} : { metrics: wrap.metrics }),
      ...(wrap.caps === undefined ? {} : { hourlyCaps: wrap.caps }),
      log: rootLog(),
      clock: this.clock,
    });
    this.#app = createApp(this.relayer, rootLog());
  }

  pool(key: string): Deployment {
    return this.localnet.deployments.pools.get(key)!;
  }

  contract(key: string): Pool {
    return new Pool(this.chain, this.pool(key).address);
  }

  /** The relayer's API in the form of `fetch`. */
  async request(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return await requestApp(this.#app, input, init);
  }

  async get(path: string): Promise<HarnessResponse> {
    return await answerOf(await requestApp(this.#app, path));
  }

  async post(path: string, body: unknown): Promise<HarnessResponse> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return await answerOf(await requestApp(this.#app, path, init));
  }

  /** Deposits a new note and waits until the pool has accepted it. */
  async deposit(key: string): Promise<Note> {
    const { asset, amount } = this.pool(key);
    const note = createNote({ asset, amount, network: "localnet" });
    const tree = this.tree(key);
    const leafIndex = tree.size;
    const [prevRoot, newRoot] = [tree.root, tree.rootAfter(note.commitment)];
    const { pathElements } = tree.nextLeafPath();
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
    await waitUntil(`leaf ${leafIndex} of ${key}`, async () => await pool.getNextIndex() > leafIndex);
    tree.append(commitment);
    return note;
  }

  /** Returns the body of a withdrawal with a proof for the current tree. */
  async withdrawal(key: string, note: Note, choice: WithdrawalParameters) {
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

  /** Returns the body of a withdrawal without its proof. */
  unproved(key: string, note: Note, choice: WithdrawalParameters) {
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

  /** Waits until the pool is ready with all leaves of the harness. */
  async untilIndexed(key: string): Promise<void> {
    await waitUntil(`${key} is indexed`, () => {
      const { ready, leaves } = this.relayer.readiness().pools[key];
      return ready && leaves === this.tree(key).size;
    });
  }

  /** Waits until `/withdraw/status` reports one of `states`, and returns its answer. */
  async untilState(
    body: { pool: string; nullifierHash: string },
    ...states: string[]
  ): Promise<HarnessResponse["body"]> {
    let last: HarnessResponse["body"];
    await waitUntil(`state ${states}`, async () => {
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
    await this.localnet.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Returns `target` with some methods replaced. */
export function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(name in methods ? methods : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function answerOf(response: Response): Promise<HarnessResponse> {
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json().catch(() => undefined),
  };
}
