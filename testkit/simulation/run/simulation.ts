/**
 * Simulates a relayer: its real core on virtual time, with faults that the seed determines. After the faults
 * end, everything must agree. The run checks invariants during and after it.
 */
import { equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { Address } from "@ton/core";
import type { Deployments } from "../../../src/core/protocol/deployments.ts";
import { startRelayer } from "../../../src/relay/relayer.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import type { Store } from "../../../src/store/store.ts";
import type { ChainTransaction } from "../../../src/ton/chain.ts";
import type { WalletVersion } from "../../../src/ton/wallet/wallet.ts";
import { memoryStore } from "../../relayer/memory_store.ts";
import { SimulatedPool } from "../accounts.ts";
import { type EndpointFaults, openEndpoint } from "../endpoint.ts";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
  withForgedHistory,
} from "../forged_history.ts";
import { type StoreFaults, withStoreFaults } from "../faulty_store.ts";
import { drawLie, type EndpointLie, lieKinds, withLies } from "../lying_endpoint.ts";
import { SimulatedProcess } from "../simulated_process.ts";
import { SeededRandom } from "../../random/seeded_random.ts";
import { type SimulatedNote } from "../requests.ts";
import { VirtualTime } from "../virtual_time.ts";
import { MAX_REPLICAS, type OpenedWallet, openWallets } from "../wallets.ts";
import { World } from "../world.ts";
import { contradictionOf, findDisagreements } from "./agreement.ts";
import { type Replica, toDeployments, VKEY_HASH } from "./replica.ts";
import { type ClientRun, SimulatedClient } from "./simulated_client.ts";
import type { SimulationReport } from "./simulation_report.ts";

export type { SimulationReport };

const START = 1_800_000_000_000;
const DENOMINATION = 10_000_000_000n;
const STORM_MS = 20 * 60_000;
const CALM_MS = 4 * 3_600_000;
/** Runs the world of `seed`. Throws an assertion if something does not agree. */
export async function simulate(seed: number): Promise<SimulationReport> {
  const random = new SeededRandom(seed);
  const version = random.pick(["v4R2", "v5R1"] as const);
  const wallets = (await openWallets(version)).slice(0, random.pick([1, 1, 2, MAX_REPLICAS]));
  return await new Simulation(seed, random, version, wallets).run();
}

class Simulation {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #pools: SimulatedPool[];
  readonly #address: Address;
  readonly #replicas: Replica[];
  readonly #deployments: Deployments;
  readonly #open: () => Store;
  /** The store without faults, for verification. */
  readonly #store: Store;
  readonly #trace = createHash("sha256");
  readonly #notes: SimulatedNote[] = [];
  /** Forged transactions after the real ones, by pool. */
  readonly #invented = new Map<SimulatedPool, (tip: ChainTransaction) => ChainTransaction[]>();
  #inventions = 0;
  #endpointFaults: EndpointFaults;
  #storeFaults: StoreFaults;
  #lie: EndpointLie = {};
  #lies = 0;
  #storm = true;
  readonly #counts = { waiting: 0, frontRun: 0, faults: 0 };
  #kills = 0;
  #stops = 0;
  #failure: string | undefined;

  constructor(seed: number, random: SeededRandom, version: WalletVersion, wallets: readonly OpenedWallet[]) {
    this.#seed = seed;
    this.#random = random;
    this.#address = wallets[0].wallet.address;
    const down = { relayer: undefined };
    this.#replicas = wallets.map((wallet) => ({ ...wallet, ...down, life: new SimulatedProcess() }));
    this.#time = new VirtualTime(random, START);
    this.#open = memoryStore({
      onJobWritten: (job) => this.#fail(contradictionOf(job, this.#world)),
      now: () => this.#time.now(),
      shared: wallets.length > 1,
    });
    this.#store = this.#open();
    this.#pools = Array.from(
      { length: random.int(1, 2) },
      (_, i) => new SimulatedPool(new Address(0, Buffer.alloc(32, 0x10 + i)), DENOMINATION),
    );
    const rough = random.pick([0, 0.01, 0.05, 0.15]);
    this.#endpointFaults = { fail: rough, loseResponse: rough, stale: 2 * rough, truncate: 2 * rough };
    this.#storeFaults = { refuse: rough / 2, loseResponse: rough / 2 };
    this.#world = new World(random, this.#time, {
      version,
      publicKey: wallets[0].publicKey,
      pools: this.#pools,
      faults: { forget: rough, repeat: rough },
    });
    this.#deployments = toDeployments(this.#pools);
  }

  async run(): Promise<SimulationReport> {
    for (const replica of this.#replicas) this.#start(replica);
    const clients = this.#random.int(3, 12); // all may choose the same pool, which pays no more notes than it has
    for (const pool of this.#pools) for (let i = 0; i < clients; i++) this.#deposit(pool);
    const client = new SimulatedClient(this.#clientRun());
    for (let i = 0; i < clients; i++) {
      this.#time.after(this.#random.int(0, STORM_MS / 2), () => void client.run());
    }
    this.#often(60_000, () => this.#deposit(this.#random.pick(this.#pools)));
    this.#often(120_000, () => this.#world.disturb(this.#random.pick(this.#pools)));
    this.#often(this.#random.pick([60_000, 240_000, 900_000]), () => this.#crash());
    this.#often(600_000, () => this.#stealSeqno());
    this.#often(300_000, () => this.#invent());
    this.#often(900_000, () => this.#drain());
    this.#often(300_000, () => this.#beginLie());
    await this.#pass(() => false, START + STORM_MS);

    this.#storm = false;
    this.#lie = {};
    this.#endpointFaults = { fail: 0, loseResponse: 0, stale: 0, truncate: 0 };
    this.#storeFaults = { refuse: 0, loseResponse: 0 };
    this.#world.faults = { forget: 0, repeat: 0 };
    const end = this.#time.now() + CALM_MS;
    const settled = await this.#pass(() => this.#counts.waiting === 0 && this.#world.quiet, end);
    ok(settled, `${this.#counts.waiting} of ${clients} clients never got their withdrawal`);
    let left = ["the clients were served too late to compare"];
    while (left.length > 0 && this.#time.now() < end) {
      await this.#pass(() => false, this.#time.now() + 30_000);
      left = await findDisagreements({
        ...{ store: this.#store, world: this.#world, replicas: this.#replicas },
        ...{ pools: this.#pools, notes: this.#notes },
      });
    }
    ok(left.length === 0, left.join("; "));
    for (const { life } of this.#replicas) life.kill();
    return {
      seed: this.#seed,
      events: this.#time.count,
      virtualSeconds: Math.round((this.#time.now() - START) / 1000),
      replicas: this.#replicas.length,
      kills: this.#kills,
      pauses: this.#stops,
      faults: this.#counts.faults,
      withdrawals: this.#notes.length,
      frontRun: this.#counts.frontRun,
      lies: this.#lies,
      forgeries: this.#inventions,
      trace: this.#trace.digest("hex"),
    };
  }

  async #pass(over: () => boolean, end: number): Promise<boolean> {
    const reached = await this.#time.run(() => this.#failure !== undefined || over(), end);
    equal(this.#failure, undefined);
    return reached;
  }

  /** Ends the run. The error handling of the code under test would catch a throw. */
  #fail(reason: string | undefined): void {
    if (reason === undefined) return;
    this.#failure ??= `${reason}, ${(this.#time.now() - START) / 1000} s after the start`;
  }

  /** Starts a process on the same store. */
  #start(replica: Replica): void {
    const life = replica.life = new SimulatedProcess();
    const shared = {
      random: this.#random,
      time: this.#time,
      life,
      onFault: () => void this.#counts.faults++,
    };
    const endpoint = openEndpoint(this.#world, { ...shared, faults: () => this.#endpointFaults });
    const chain = this.#pools.reduce((chain, pool) =>
      withForgedHistory(chain, pool.address, {
        while: () => this.#invented.has(pool),
        make: (tip) => this.#invented.get(pool)!(tip),
      }), withLies(endpoint, this.#world, () => this.#lie));
    replica.connect(chain);
    replica.relayer = startRelayer({
      config: {
        network: "testnet",
        batchMs: 0,
        fee: { bps: 50, minNano: 50_000_000n },
        endpoint: { apiKey: "key" },
      },
      chain,
      wallet: replica.wallet,
      store: withStoreFaults(this.#open(), { ...shared, faults: () => this.#storeFaults }),
      prover: { verify: () => Promise.resolve(true) },
      vkeyHashes: { 1: VKEY_HASH },
      deployments: this.#deployments,
      clock: life.clock(this.#time),
      fillRandom: (bytes) => this.#random.fill(bytes),
      log: rootLog(),
    });
    this.#record("start");
  }

  /** Kills a process, or pauses it long enough for another one to take over. */
  #crash(): void {
    const replica = this.#random.pick(this.#replicas);
    const { life } = replica;
    if (!replica.relayer || life.isPaused) return; // not running again yet
    if (this.#random.chance(0.3)) {
      life.pause();
      this.#stops++;
      this.#record("stop");
      this.#time.after(this.#random.int(1_000, 120_000), () => {
        life.resume();
        this.#record("continue");
      });
      return;
    }
    replica.life.kill();
    replica.relayer = undefined;
    this.#kills++;
    this.#record("kill");
    this.#time.after(this.#random.pick([100, 5_000, 90_000]), () => this.#start(replica));
  }

  #clientRun(): ClientRun {
    return {
      ...{ random: this.#random, time: this.#time, world: this.#world, pools: this.#pools },
      ...{ address: this.#address, replicas: this.#replicas, notes: this.#notes, counts: this.#counts },
      trace: (event) => this.#record(event),
      fail: (reason) => this.#fail(reason),
    };
  }

  #deposit(pool: SimulatedPool): void {
    for (let i = this.#random.chance(0.1) ? 31 : 1; i > 0; i--) {
      this.#world.deposit(pool, this.#random.element());
    }
  }

  /** Makes the endpoint temporarily show a payment or deposit that never happened. */
  #invent(): void {
    const pool = this.#random.pick(this.#pools);
    const notes = this.#notes.filter((note) => note.pool === pool);
    const { nullifierHash } = notes.length > 0 ? this.#random.pick(notes) : { nullifierHash: 4n };
    const payment = this.#random.chance(0.6);
    const commitment = this.#random.element();
    this.#invented.set(pool, (tip) => {
      const log = payment
        ? forgeWithdrawalLog({ nullifierHash, fee: 60_000_000n, refund: 0n })
        : forgeDepositLog(commitment, pool.tree.size, this.#world.now);
      return [forgeTransaction(pool.address, tip, log)];
    });
    this.#record(`invented ${payment ? "payment" : "deposit"}`);
    this.#counts.faults++;
    this.#inventions++;
    this.#time.after(this.#random.int(2_000, 90_000), () => this.#invented.delete(pool));
  }

  #stealSeqno(): void {
    this.#world.useWalletElsewhere(1_000_000n);
    this.#record("seqno stolen");
    this.#counts.faults++;
  }

  #beginLie(): void {
    const kind = this.#random.pick(lieKinds);
    const lie = this.#lie = drawLie(kind, this.#random);
    this.#record(kind);
    this.#counts.faults++;
    this.#lies++;
    this.#time.after(this.#random.int(1_000, 180_000), () => {
      if (this.#lie === lie) this.#lie = {};
    });
  }

  #drain(): void {
    const left = BigInt(this.#random.int(0, 150_000_000));
    const spent = this.#world.balance - left;
    if (spent <= 0n) return;
    this.#world.useWalletElsewhere(spent);
    this.#record("drained");
    this.#counts.faults++;
    this.#time.after(this.#random.int(10_000, 300_000), () => this.#world.topUp(spent));
  }

  /** Acts about every `ms` while faults are enabled. */
  #often(ms: number, act: () => void): void {
    this.#time.after(this.#random.int(ms / 4, 2 * ms), () => {
      if (!this.#storm) return;
      act();
      this.#often(ms, act);
    });
  }

  #record(what: string): void {
    this.#trace.update(`${this.#time.now()} ${what}\n`);
  }
}
