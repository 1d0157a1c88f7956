/**
 * Starts a relayer with withdrawals in its journal, on virtual time and with an endpoint that the test can
 * alter.
 */
import { Address } from "@ton/core";
import type { Deployments } from "../../../src/core/protocol/deployments.ts";
import { parseProof, proofToCell } from "../../../src/core/crypto/proof_codec.ts";
import { type Relayer, startRelayer } from "../../../src/relay/relayer.ts";
import type { Job, Store } from "../../../src/store/store.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import type { Wallet, WalletVersion } from "../../../src/ton/wallet/wallet.ts";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import { SimulatedPool } from "../../../testkit/simulation/accounts.ts";
import { openEndpoint, poolCode } from "../../../testkit/simulation/endpoint.ts";
import { SimulatedProcess } from "../../../testkit/simulation/simulated_process.ts";
import { SeededRandom } from "../../../testkit/random/seeded_random.ts";
import { withdrawRequest } from "../../../testkit/simulation/requests.ts";
import { VirtualTime } from "../../../testkit/simulation/virtual_time.ts";
import { openWallets } from "../../../testkit/simulation/wallets.ts";
import { World } from "../../../testkit/simulation/world.ts";

/** The start, in Unix milliseconds. */
export const STARTED_AT = 1_800_000_000_000;
/** The time from which withdrawals may be signed. All pools are indexed by then. */
export const DUE_AT = STARTED_AT + 60_000;
const DENOMINATION = 10_000_000_000n;
const VKEY_HASH = "11".repeat(32);

/** A running relayer and its world. */
export interface QueueScenario {
  readonly random: SeededRandom;
  readonly time: VirtualTime;
  readonly world: World;
  readonly pools: readonly SimulatedPool[];
  readonly store: Store;
  readonly relayer: Relayer;
  /** The journaled withdrawals, oldest first. */
  readonly jobs: readonly Job[];
  /** Returns the state of the i-th withdrawal. */
  stateOf(i: number): Promise<string>;
  /** Ends the relayer. */
  end(): void;
}

/** The withdrawals in the journal, and the relayer's surroundings. */
export interface QueueOptions {
  readonly wallet: WalletVersion;
  readonly pools: number;
  /** The pool's index and the refund in nano of each withdrawal, oldest first. */
  readonly queued: readonly { readonly pool: number; readonly refund?: bigint }[];
  /** Wraps the relayer's endpoint. */
  readonly chain?: (chain: Chain, world: World, parts: QueueContext) => Chain;
  /** Whether get methods are verified by a second endpoint. */
  readonly verified?: boolean;
  /** Adds to the journal before the relayer starts. */
  readonly inherited?: (parts: { store: Store; jobs: readonly Job[]; wallet: Wallet }) => Promise<void>;
  /** Wraps the endpoint's get methods. */
  readonly get?: (get: Chain["runGetMethod"], parts: QueueContext) => Chain["runGetMethod"];
}

/** The data that a wrapped endpoint can read. */
export interface QueueContext {
  readonly pools: readonly SimulatedPool[];
  readonly time: VirtualTime;
  /** The journaled withdrawals. */
  readonly jobs: readonly Job[];
}

/** Starts a relayer with withdrawals in its journal. */
export async function startQueueScenario(plan: QueueOptions): Promise<QueueScenario> {
  const random = new SeededRandom(5);
  const time = new VirtualTime(random, STARTED_AT);
  const [wallet] = await openWallets(plan.wallet);
  const pools = Array.from(
    { length: plan.pools },
    (_, i) => new SimulatedPool(new Address(0, Buffer.alloc(32, 0x10 + i)), DENOMINATION),
  );
  const faults = { forget: 0, repeat: 0 };
  const world = new World(random, time, { version: plan.wallet, publicKey: wallet.publicKey, pools, faults });
  for (const [index, pool] of pools.entries()) {
    const withdrawn = plan.queued.filter((one) => one.pool === index).length; // a pool pays no more notes than it has
    for (let i = 0; i < Math.max(2, withdrawn); i++) world.deposit(pool, random.element());
  }

  const life = new SimulatedProcess();
  const endpoint = openEndpoint(world, {
    random,
    time,
    life,
    faults: () => ({ fail: 0, loseResponse: 0, stale: 0, truncate: 0 }),
    onFault: () => {},
  });
  const store = memoryStore({ now: () => time.now(), shared: false })();
  const jobs = createJobs(plan, { pools, random, relayer: wallet.wallet.address });
  for (const job of jobs) await store.addJob(job, () => false);
  const parts = { pools, time, jobs };
  const altered = plan.chain?.(endpoint, world, parts) ?? endpoint;
  const chain = plan.get ? { ...altered, runGetMethod: plan.get(altered.runGetMethod, parts) } : altered;
  wallet.connect(chain);
  await plan.inherited?.({ store, jobs, wallet: wallet.wallet });

  const relayer = startRelayer({
    config: {
      network: "testnet",
      batchMs: 0,
      fee: { bps: 50, minNano: 50_000_000n },
      endpoint: { apiKey: "key", ...(plan.verified ? { verify: { apiKey: "key" } } : {}) },
    },
    chain,
    wallet: wallet.wallet,
    store,
    prover: { verify: () => Promise.resolve(true) },
    vkeyHashes: { 1: VKEY_HASH },
    deployments: deploymentsOf(pools),
    clock: life.clock(time),
    fillRandom: (bytes) => random.fill(bytes),
    log: rootLog(),
  });
  return {
    random,
    time,
    world,
    pools,
    store,
    relayer,
    jobs,
    stateOf: async (i) => (await store.job(jobs[i]))!.state,
    end: () => life.kill(),
  };
}

/** Returns the journaled withdrawals, oldest first. */
function createJobs(
  { queued }: QueueOptions,
  { pools, random, relayer }: {
    readonly pools: readonly SimulatedPool[];
    readonly random: SeededRandom;
    readonly relayer: Address;
  },
): Job[] {
  return queued.map(({ pool: index, refund = 0n }, i): Job => {
    const pool = pools[index];
    const recipient = new Address(0, Buffer.alloc(32, 0x60 + i));
    const note = { pool, nullifierHash: random.element(), recipient };
    const { proof, signals } = withdrawRequest(note, pool.roots[0], relayer);
    return {
      pool: pool.address.toRawString(),
      nullifierHash: note.nullifierHash,
      state: "accepted",
      queryId: BigInt(i + 1),
      root: signals.root,
      fee: signals.fee,
      refund,
      message: {
        recipient: recipient.toRawString(),
        proof: proofToCell(parseProof(proof)).toBoc().toString("base64"),
      },
      failures: 0,
      acceptedAt: STARTED_AT + i,
      notBefore: DUE_AT,
    };
  });
}

function deploymentsOf(pools: readonly SimulatedPool[]): Deployments {
  return {
    network: "testnet",
    pools: new Map(pools.map((pool, i) => [`native-${10 + i}`, {
      address: pool.address,
      asset: "native",
      amount: "10",
      denomination: pool.denomination,
      deployedSeqno: 1,
      codeHash: poolCode.hash().toString("hex"),
      vkeyHash: VKEY_HASH,
      owner: null,
    }])),
  };
}
