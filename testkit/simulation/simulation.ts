/**
 * Simulates a relayer: its real core on virtual time, under faults drawn from a seed. When the faults end, everything
 * must agree. Invariants are checked during and after the run.
 */
import { equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { Address } from "@ton/core";
import type { Deployments } from "../../src/core/protocol/deployments.ts";
import { Problem } from "../../src/core/errors/problem.ts";
import { type Relayer, startRelayer } from "../../src/relay/relayer.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import { isLive, isPaid, type Job, type Store } from "../../src/store/store.ts";
import type { ChainTransaction } from "../../src/ton/chain.ts";
import type { WalletVersion } from "../../src/ton/wallet/wallet.ts";
import { readLeaves } from "../relayer/leaf_batches.ts";
import { memoryStore } from "../relayer/memory_store.ts";
import { SimulatedPool, WITHDRAW_VALUE } from "./accounts.ts";
import { type EndpointFaults, openEndpoint, poolCode } from "./endpoint.ts";
import {
  forgeDepositLog,
  forgeTransaction,
  forgeWithdrawalLog,
  withForgedHistory,
} from "./forged_history.ts";
import { type StoreFaults, withStoreFaults } from "./faulty_store.ts";
import { drawLie, type EndpointLie, lieKinds, withLies } from "./lying_endpoint.ts";
import { SimulatedProcess } from "./simulated_process.ts";
import { SeededRandom } from "../random/seeded_random.ts";
import { frontRunBody, type SimulatedNote, withdrawRequest } from "./requests.ts";
import { VirtualTime } from "./virtual_time.ts";
import { MAX_REPLICAS, type OpenedWallet, openWallets } from "./wallets.ts";
import { World } from "./world.ts";

/** The result of a run. */
export interface SimulationReport {
  readonly seed: number;
  readonly events: number;
  readonly virtualSeconds: number;
  readonly replicas: number;
  readonly kills: number;
  readonly pauses: number;
  readonly faults: number;
  readonly withdrawals: number;
  /** Paid by a message that was not the relayer's. */
  readonly frontRun: number;
  /** How often the endpoint began to lie. */
  readonly lies: number;
  /** How often the endpoint forged a transaction. */
  readonly forgeries: number;
  /** SHA-256 over all events, in order. */
  readonly trace: string;
}

const START = 1_800_000_000_000;
const DENOMINATION = 10_000_000_000n;
const STORM_MS = 20 * 60_000;
const CALM_MS = 4 * 3_600_000;
const VKEY_HASH = "11".repeat(32);
const outsider = new Address(0, Buffer.alloc(32, 0xcc));
/** A process: what it runs on, and the relayer while it is up. */
interface Replica extends OpenedWallet {
  life: SimulatedProcess;
  relayer: Relayer | undefined;
}

/** Runs the world of `seed`. Throws an assertion if something does not agree. */
export async function simulate(seed: number): Promise<SimulationReport> {
  const random = new SeededRandom(seed);
  const version = random.pick(["v4R2", "v5R1"] as const);
  const wallets = (await openWallets(version)).slice(0, random.pick([1, 1, 2, MAX_REPLICAS]));
  return await new Simulation(seed, random, version, wallets).toTheEnd();
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
  #kills = 0;
  #stops = 0;
  #faults = 0;
  #waiting = 0;
  #frontRun = 0;
  #wrong: string | undefined;

  constructor(seed: number, random: SeededRandom, version: WalletVersion, wallets: readonly OpenedWallet[]) {
    this.#seed = seed;
    this.#random = random;
    this.#address = wallets[0].wallet.address;
    this.#replicas = wallets.map((wallet) => ({
      ...wallet,
      life: new SimulatedProcess(),
      relayer: undefined,
    }));
    this.#time = new VirtualTime(random, START);
    this.#open = memoryStore({
      onJobWritten: (job) => this.#judge(job),
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
    this.#deployments = {
      network: "testnet",
      pools: new Map(this.#pools.map((pool, i) => [`native-${10 + i}`, {
        address: pool.address,
        asset: "native",
        amount: String(10),
        denomination: pool.denomination,
        deployedSeqno: 1,
        codeHash: poolCode.hash().toString("hex"),
        vkeyHash: VKEY_HASH,
        owner: null,
      }])),
    };
  }

  async toTheEnd(): Promise<SimulationReport> {
    for (const replica of this.#replicas) this.#start(replica);
    for (const pool of this.#pools) for (let i = this.#random.int(1, 6); i > 0; i--) this.#deposit(pool);
    const clients = this.#random.int(3, 12);
    for (let i = 0; i < clients; i++) {
      this.#time.after(this.#random.int(0, STORM_MS / 2), () => this.#client());
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
    const settled = await this.#pass(() => this.#waiting === 0 && this.#world.quiet, end);
    ok(settled, `${this.#waiting} of ${clients} clients never got their withdrawal`);
    let even = false;
    let left: string[] = [];
    while (!even && this.#time.now() < end) {
      await this.#pass(() => false, this.#time.now() + 30_000);
      left = await this.#uneven();
      even = left.length === 0;
    }
    ok(even, left.join("; "));
    for (const { life } of this.#replicas) life.kill();
    return {
      seed: this.#seed,
      events: this.#time.count,
      virtualSeconds: Math.round((this.#time.now() - START) / 1000),
      replicas: this.#replicas.length,
      kills: this.#kills,
      pauses: this.#stops,
      faults: this.#faults,
      withdrawals: this.#notes.length,
      frontRun: this.#frontRun,
      lies: this.#lies,
      forgeries: this.#inventions,
      trace: this.#trace.digest("hex"),
    };
  }

  async #pass(over: () => boolean, end: number): Promise<boolean> {
    const reached = await this.#time.run(() => this.#wrong !== undefined || over(), end);
    equal(this.#wrong, undefined);
    return reached;
  }

  /** A job must never be in a final state that the chain contradicts, not even for a moment. */
  #judge({ pool, nullifierHash, state, queryId }: Job): void {
    const spent = this.#world.pools.get(pool)!.spent.has(nullifierHash);
    if (isPaid({ state }) && !spent) this.#fail(`a job was ${state} and its note is unspent`);
    if (state === "failed" && !this.#world.refused.has(queryId)) {
      this.#fail("a job failed that no pool refused");
    }
    if (state === "expired" && this.#world.arrivals.has(queryId)) {
      this.#fail("a job expired that had reached its pool");
    }
  }

  /** Ends the run. A throw would end in the error handling of the code under test. */
  #fail(what: string): void {
    this.#wrong ??= `${what}, ${(this.#time.now() - START) / 1000} s after the start`;
  }

  /** Returns what does not yet agree. */
  async #uneven(): Promise<string[]> {
    const left: string[] = [];
    if (await this.#store.transfer()) left.push("a transfer is in flight");
    if ((await this.#store.liveJobs()).length > 0) left.push("jobs are live");
    for (const { relayer } of this.#replicas) {
      const readiness = relayer?.readiness();
      if (!readiness?.ready) left.push(`not ready: ${JSON.stringify(readiness)}`);
    }
    for (const [i, pool] of this.#pools.entries()) {
      const id = pool.address.toRawString();
      const account = this.#world.accounts.get(id)!;
      if ((await this.#store.cursor(id))?.hash !== account.transactions.at(-1)?.id.hash) {
        left.push("the cursor is behind");
        continue;
      }
      const rows = (await readLeaves(this.#store, id)).map(({ commitment }) => commitment);
      const leaves = Array.from({ length: pool.tree.size }, (_, leaf) => pool.tree.leaf(leaf));
      equal(rows.join(), leaves.join(), `deposits of pool ${i} in the store are the chain's`);
      for (const { relayer } of this.#replicas) {
        if (relayer?.readiness().ready && relayer.root(pool.address) !== pool.tree.root) {
          left.push("a tree is behind");
        }
      }
      for (const nullifierHash of pool.spent.keys()) {
        ok(await this.#store.withdrawal(id, nullifierHash), "every payment on chain is in the store");
      }
      const real = new Set(account.transactions.map((transaction) => transaction.id.hash));
      for await (const { nullifierHash, txHash } of this.#store.withdrawals(id)) {
        ok(pool.spent.has(nullifierHash), "every payment in the store is on chain");
        ok(real.has(txHash), "by its own transaction");
      }
    }
    for (const { pool, nullifierHash } of this.#notes) {
      const job = await this.#store.job({ pool: pool.address.toRawString(), nullifierHash });
      if (!job) continue; // paid before it was accepted
      const spent = pool.spent.has(nullifierHash);
      if (isPaid(job)) ok(spent, "a paid job's note is spent");
      else if (spent) left.push(`job ${job.state} of a note that is spent`); // until its payment is indexed
      ok(!job.message || isLive(job), "an ended job keeps no proof");
    }
    for (const count of this.#world.arrivals.values()) {
      equal(count, 1, "a message of ours reached a pool twice");
    }
    return left;
  }

  /** Starts a process on the same store. */
  #start(replica: Replica): void {
    const life = replica.life = new SimulatedProcess();
    const shared = {
      random: this.#random,
      time: this.#time,
      life,
      struck: () => void this.#faults++,
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
        fee: { bps: 50, minNano: 50_000_000n },
        indexer: { apiKey: "key" },
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
    this.#say("start");
  }

  /** Kills a process, or pauses it long enough for another one to take over. */
  #crash(): void {
    const replica = this.#random.pick(this.#replicas);
    const { life } = replica;
    if (!replica.relayer || life.isPaused) return; // not up again
    if (this.#random.chance(0.3)) {
      life.pause();
      this.#stops++;
      this.#say("stop");
      this.#time.after(this.#random.int(1_000, 120_000), () => {
        life.resume();
        this.#say("continue");
      });
      return;
    }
    replica.life.kill();
    replica.relayer = undefined;
    this.#kills++;
    this.#say("kill");
    this.#time.after(this.#random.pick([100, 5_000, 90_000]), () => this.#start(replica));
  }

  /** A client with a note: submits, polls, and submits again until it is paid. */
  async #client(): Promise<void> {
    const pool = this.#random.pick(this.#pools);
    const note: SimulatedNote = {
      pool,
      nullifierHash: this.#random.element(),
      recipient: new Address(0, this.#random.fill(Buffer.alloc(32))),
    };
    this.#notes.push(note);
    this.#waiting++;
    if (this.#random.chance(0.3)) this.#interfere(note);
    while (!pool.spent.has(note.nullifierHash)) {
      await this.#attempt(note);
      await this.#time.delay(this.#random.int(1_000, 60_000));
    }
    if (!pool.spent.get(note.nullifierHash)!.equals(this.#address)) this.#frontRun++;
    this.#say(`paid ${note.nullifierHash}`);
    this.#waiting--;
  }

  /** Sends one request, or several equal ones at once. A killed process does not answer. */
  async #attempt(note: SimulatedNote): Promise<void> {
    const { relayer, life } = this.#random.pick(this.#replicas);
    if (!relayer) return;
    const root = this.#random.pick(note.pool.roots.slice(0, this.#random.chance(0.1) ? 30 : 3));
    const request = withdrawRequest(note, root, this.#address);
    const copies = this.#random.chance(0.2) ? this.#random.int(2, 5) : 1;
    const answers = Array.from({ length: copies }, async () => {
      try {
        const { sent, withdrawal } = await relayer.submit(request);
        this.#say(`${note.nullifierHash} ${withdrawal.state}`);
        return sent || withdrawal.state === "accepted" ? "taken" : "ended";
      } catch (error) {
        this.#say(`${note.nullifierHash} ${error instanceof Problem ? error.code : "error"}`);
        return "refused";
      }
    });
    const patience = this.#time.delay(60_000).then(() => undefined);
    const taken = await Promise.race([Promise.all(answers), patience]);
    if (taken && !life.isKilled) {
      // One of equal requests at once is accepted; another only after the first has ended.
      if (taken.filter((answer) => answer === "taken").length > 1) {
        this.#fail("two equal requests were both taken");
      }
    }
  }

  /**
   * An observer of the mempool: sends the withdrawal first, or an invalid one with the same nullifier hash and query
   * id, which the pool rejects.
   */
  async #interfere(note: SimulatedNote): Promise<void> {
    const { pool, nullifierHash } = note;
    const forged = this.#random.chance(0.6);
    let seen = undefined;
    while (!seen && !pool.spent.has(nullifierHash)) {
      await this.#time.delay(1_000);
      seen = this.#world.visible().find((body) => body.nullifierHash === nullifierHash);
    }
    const body = frontRunBody({ ...note, root: pool.roots[0], relayer: this.#address, forged, seen });
    this.#world.send(outsider, pool.address, 2n * WITHDRAW_VALUE, body);
    this.#say(forged ? "forgery" : "front-run");
    this.#faults++;
  }

  #deposit(pool: SimulatedPool): void {
    for (let i = this.#random.chance(0.1) ? 31 : 1; i > 0; i--) {
      this.#world.deposit(pool, this.#random.element());
    }
  }

  /** For a while the endpoint shows a payment or deposit that never happened. */
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
    this.#say(`invented ${payment ? "payment" : "deposit"}`);
    this.#faults++;
    this.#inventions++;
    this.#time.after(this.#random.int(2_000, 90_000), () => this.#invented.delete(pool));
  }

  #stealSeqno(): void {
    this.#world.useWalletElsewhere(1_000_000n);
    this.#say("seqno stolen");
    this.#faults++;
  }

  #beginLie(): void {
    const kind = this.#random.pick(lieKinds);
    const lie = this.#lie = drawLie(kind, this.#random);
    this.#say(kind);
    this.#faults++;
    this.#lies++;
    this.#time.after(this.#random.int(1_000, 180_000), () => {
      if (this.#lie === lie) this.#lie = {};
    });
  }

  #drain(): void {
    const left = BigInt(this.#random.int(0, 150_000_000));
    const taken = this.#world.balance - left;
    if (taken <= 0n) return;
    this.#world.useWalletElsewhere(taken);
    this.#say("drained");
    this.#faults++;
    this.#time.after(this.#random.int(10_000, 300_000), () => this.#world.topUp(taken));
  }

  /** Acts about every `ms` while faults are enabled. */
  #often(ms: number, act: () => void): void {
    this.#time.after(this.#random.int(ms / 4, 2 * ms), () => {
      if (!this.#storm) return;
      act();
      this.#often(ms, act);
    });
  }

  #say(what: string): void {
    this.#trace.update(`${this.#time.now()} ${what}\n`);
  }
}
