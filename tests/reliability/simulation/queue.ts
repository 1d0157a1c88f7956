/** Withdrawals that wait in the journal of a relayer that starts: its core on virtual time, with an endpoint of one's own. */
import { Address } from "@ton/core";
import { parseProof, proofToCell } from "../../../src/core/proof_codec.ts";
import { type Relayer, startRelayer } from "../../../src/relay/relayer.ts";
import type { Job, Store } from "../../../src/store/store.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import type { Wallet, WalletVersion } from "../../../src/ton/wallet.ts";
import { memoryStore } from "../../support/memory_store.ts";
import { PoolModel } from "./accounts.ts";
import { openEndpoint, poolCode } from "./endpoint.ts";
import { Life } from "./life.ts";
import { Random } from "./random.ts";
import { requestOf } from "./requests.ts";
import { Timeline } from "./timeline.ts";
import { walletsOf } from "./wallets.ts";
import { World } from "./world.ts";

/** When it starts, unix milliseconds. */
export const START = 1_800_000_000_000;
/** When what waits may be signed: every pool is followed by then. */
export const DUE = START + 60_000;
const DENOMINATION = 10_000_000_000n;
const VKEY_HASH = "11".repeat(32);

/** A running relayer and its world. */
export interface Queue {
  readonly random: Random;
  readonly time: Timeline;
  readonly world: World;
  readonly pools: readonly PoolModel[];
  readonly store: Store;
  readonly relayer: Relayer;
  /** As they were journaled, oldest first. */
  readonly jobs: readonly Job[];
  /** State of the i-th of them. */
  stateOf(i: number): Promise<string>;
  /** Ends the relayer. */
  end(): void;
}

/** What waits, and where. */
export interface QueuePlan {
  readonly wallet: WalletVersion;
  readonly pools: number;
  /** Of each withdrawal the index of its pool, and its refund in nano; oldest first. */
  readonly waiting: readonly { readonly pool: number; readonly refund?: bigint }[];
  /** Puts itself between the relayer and its endpoint. */
  readonly chain?: (chain: Chain, world: World, parts: QueueParts) => Chain;
  /** Whether get methods are taken for another endpoint's. */
  readonly verified?: boolean;
  /** What else the relayer finds in its journal. */
  readonly inherited?: (parts: { store: Store; jobs: readonly Job[]; wallet: Wallet }) => Promise<void>;
  /** Puts itself between the relayer and the endpoint's get methods. */
  readonly get?: (get: Chain["get"], parts: QueueParts) => Chain["get"];
}

/** What an endpoint of one's own may look at. */
export interface QueueParts {
  readonly pools: readonly PoolModel[];
  readonly time: Timeline;
  /** What waits, as it is journaled. */
  readonly jobs: readonly Job[];
}

/** Starts a relayer with withdrawals in its journal. */
export async function startQueue(plan: QueuePlan): Promise<Queue> {
  const random = new Random(5);
  const time = new Timeline(random, START);
  const [wallet] = await walletsOf(plan.wallet);
  const pools = Array.from(
    { length: plan.pools },
    (_, i) => new PoolModel(new Address(0, Buffer.alloc(32, 0x10 + i)), DENOMINATION),
  );
  const faults = { forget: 0, repeat: 0 };
  const world = new World(random, time, { version: plan.wallet, publicKey: wallet.publicKey, pools, faults });
  for (const pool of pools) for (let i = 0; i < 2; i++) world.deposit(pool, random.element());

  const life = new Life();
  const endpoint = openEndpoint(world, {
    random,
    time,
    life,
    faults: () => ({ fail: 0, loseAnswer: 0, stale: 0, short: 0 }),
    struck: () => {},
  });
  const store = memoryStore({ now: () => time.now(), shared: false })();
  const jobs = plan.waiting.map(({ pool: index, refund = 0n }, i): Job => {
    const pool = pools[index];
    const recipient = new Address(0, Buffer.alloc(32, 0x60 + i));
    const note = { pool, nullifierHash: random.element(), recipient };
    const { proof, signals } = requestOf(note, pool.roots[0], wallet.wallet.address);
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
      acceptedAt: START + i,
      notBefore: DUE,
    };
  });
  for (const job of jobs) await store.addJob(job, () => false);
  const parts = { pools, time, jobs };
  const told = plan.chain?.(endpoint, world, parts) ?? endpoint;
  const chain = plan.get ? { ...told, get: plan.get(told.get, parts) } : told;
  wallet.connect(chain);
  await plan.inherited?.({ store, jobs, wallet: wallet.wallet });

  const relayer = startRelayer({
    config: {
      network: "testnet",
      fee: { bps: 50, minNano: 50_000_000n },
      indexer: { apiKey: "key", ...(plan.verified ? { verify: { apiKey: "key" } } : {}) },
    },
    chain,
    wallet: wallet.wallet,
    store,
    prover: { verify: () => Promise.resolve(true) },
    vkeyHash: VKEY_HASH,
    deployments: {
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
    },
    clock: life.clock(time),
    random: (bytes) => random.fill(bytes),
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
