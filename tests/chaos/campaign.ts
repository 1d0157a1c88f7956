/**
 * A relayer under fire, all real: processes, HTTP, database, emulator, contracts. Notes go in and out through several
 * pools while the endpoint misbehaves and processes are killed at every step of their journal; then it is quiet, and
 * everything has to come out even. A seed fixes the choices, not the order in which processes happen to run.
 */
import { equal } from "node:assert/strict";
import type { ArchivedStore, ArchiveRow } from "../../src/store/archive.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import type { WalletVersion } from "../../src/ton/wallet.ts";
import { Random } from "../simulation/random.ts";
import { type FaultKind, type FaultProxy, startFaultProxy } from "../support/fault_proxy.ts";
import { freshDatabase } from "../support/services.ts";
import { until } from "../support/until.ts";
import { ChainReading } from "./chain_reading.ts";
import { Fleet, type Replica } from "./fleet.ts";
import { fuzz, type FuzzReport } from "./fuzzing_client.ts";
import { type Death, deathOf, steps } from "./journal_steps.ts";
import { judge, judgeTrees, type Verdict } from "./judge.ts";
import { ChaosNetwork, type PlacedNote } from "./network.ts";
import { emptyTally, PatientClient, type Tally } from "./patient_client.ts";

/** How hard a campaign is. */
export interface CampaignPlan {
  readonly seed: number;
  readonly store: "kv" | "postgres";
  /** 1 with the embedded store. */
  readonly replicas: number;
  /** Of the relayer: one transfer carries up to 4 messages, or many. */
  readonly wallet: WalletVersion;
  /** Native pools, by denomination in whole units. */
  readonly denominations: readonly string[];
  /** Notes that are deposited at once, and withdrawn while the next ones come; waves go on until all kills are done. */
  readonly waves: number;
  readonly notesPerWave: number;
  /** Probability that a call to the endpoint meets a fault. */
  readonly faults: number;
  readonly kills: number;
  /** Requests drawn from the API's document that are sent all the while. */
  readonly fuzzed: number;
  /** Told how it goes. */
  readonly onProgress?: (text: string) => void;
}

/** What a campaign came to. */
export interface CampaignReport extends Verdict {
  readonly plan: CampaignPlan;
  readonly calls: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Where processes were killed, as their journals told. */
  readonly deaths: ReadonlyMap<Death, number>;
  /** At which step they were held for it. */
  readonly steps: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Processes told to end under load, and started again. */
  readonly restarts: number;
  /** Milliseconds until another process led. */
  readonly takeovers: readonly number[];
  readonly reported: readonly string[];
  readonly fuzz: FuzzReport;
  readonly seconds: number;
}

const PATIENCE_MS = 1_200_000;
/** A step that nobody comes to any more because the load ran dry is given up after this. */
const STEP_PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 1_500;
const MOST_CALLS = 120;
/** What a relayer that has nothing else to do asks for in a few seconds. */
const CALLS_TO_REST = 40;
/** Notes on their way at most, before the next wave is deposited: their roots leave the pool's history otherwise. */
const MOST_UNSETTLED = 24;

const ANYWHERE = "anywhere";

/** Runs a campaign; throws an assertion when anything is not as it must be. */
export async function runCampaign(plan: CampaignPlan): Promise<CampaignReport> {
  const random = new Random(plan.seed);
  const { denominations, wallet } = plan;
  await using net = await ChaosNetwork.start({ random, denominations, wallet });
  await using database = plan.store === "postgres" ? await freshDatabase() : undefined;
  await using proxy = startFaultProxy({ target: net.localnet.url, seed: plan.seed + 1 });
  await using fleet = new Fleet(net, proxy, plan.replicas, database?.url);
  return await new Campaign(plan, random, net, proxy, fleet, database?.url).run();
}

class Campaign {
  readonly #tally: Tally = emptyTally();
  readonly #deaths = new Map<Death, number>();
  readonly #steps = new Map<string, number>();
  readonly #takeovers: number[] = [];
  readonly #watching: Promise<void>[] = [];
  readonly #stop = new AbortController();
  readonly #placed: PlacedNote[] = [];
  #kills = 0;
  #restarts = 0;

  constructor(
    readonly plan: CampaignPlan,
    readonly random: Random,
    readonly net: ChaosNetwork,
    readonly proxy: FaultProxy,
    readonly fleet: Fleet,
    readonly databaseUrl: string | undefined,
  ) {}

  async run(): Promise<CampaignReport> {
    const { plan, net, proxy, fleet } = this;
    const started = performance.now();
    const start = await new ChainReading(net.localnet.url).balance(net.relayer);
    try {
      await fleet.startAll();
      proxy.storm(plan.faults);
      let killing = true;
      const kills = this.#killAll().finally(() => killing = false);
      const [fuzzed] = await Promise.all([this.#fuzz(), this.#load(() => killing), kills]);
      proxy.storm(0);
      await Promise.all(this.#watching);
      await fleet.startAll();
      await until("every replica is ready", () => fleet.isReady(net), PATIENCE_MS);
      await judgeTrees(net, fleet);
      const rows = await this.#restingRows();
      const verdict = await judge(net, rows, this.#placed, start);
      equal(this.#tally.lost.join(), "", "nothing that was taken on is forgotten");
      equal(this.#tally.unexpected.join("\n"), "", "no answer is one that should not come");
      equal(fuzzed.wrong.join("\n"), "", "nor is any to requests that were drawn");
      return {
        plan,
        ...verdict,
        calls: proxy.calls,
        faults: proxy.counts,
        deaths: this.#deaths,
        steps: this.#steps,
        kills: this.#kills,
        restarts: this.#restarts,
        takeovers: this.#takeovers,
        reported: this.#tally.reported,
        fuzz: fuzzed,
        seconds: (performance.now() - started) / 1000,
      };
    } catch (error) {
      const log = fleet.replicas.map((replica) => `--- ${replica.name}\n${replica.log.slice(-4_000)}`).join(
        "\n",
      );
      throw new Error(`campaign of seed ${plan.seed}: ${(error as Error).message}\n${log}`, { cause: error });
    } finally {
      this.#stop.abort();
    }
  }

  /** Deposits and withdraws wave after wave until the plan is fulfilled and nobody is killed any more. */
  async #load(killing: () => boolean): Promise<void> {
    const { plan, net, fleet, random } = this;
    const client = new PatientClient(net, fleet, random, this.#tally, this.#stop.signal);
    const withdrawals: Promise<void>[] = [];
    for (let wave = 0; wave < plan.waves || killing(); wave++) {
      const unsettled = () => withdrawals.length - this.#tally.settled;
      await until(
        "earlier withdrawals settle",
        () => Promise.resolve(unsettled() < MOST_UNSETTLED),
        PATIENCE_MS,
      );
      for (const key of net.keys) {
        const placed = await net.deposit(key, plan.notesPerWave);
        this.#placed.push(...placed);
        withdrawals.push(...placed.map((note) => client.withdraw(note)));
      }
      plan.onProgress?.(
        `wave ${
          wave + 1
        }: ${this.#placed.length} notes, ${this.#tally.settled} paid, ${this.#kills} kills, ` +
          `${[...this.proxy.counts.values()].reduce((all, count) => all + count, 0)} faults`,
      );
    }
    await until(
      "every withdrawal is settled",
      () => Promise.resolve(this.#tally.settled === withdrawals.length),
      PATIENCE_MS,
    );
    await Promise.all(withdrawals);
  }

  async #fuzz(): Promise<FuzzReport> {
    await until("there is a note", () => Promise.resolve(this.#placed.length > 0), PATIENCE_MS);
    return await fuzz(this.net, this.fleet, this.random, this.#placed[0], this.plan.fuzzed);
  }

  async #killAll(): Promise<void> {
    const names = [...Object.keys(steps), ANYWHERE];
    while (this.#kills < this.plan.kills) {
      const name = names[this.#kills % names.length];
      const killed = name === ANYWHERE ? await this.#killAnywhere() : await this.#killAt(name);
      if (killed) this.#steps.set(name, (this.#steps.get(name) ?? 0) + 1);
      if (killed && name === ANYWHERE) await this.#restartInGoodOrder();
      await pause(this.random.int(0, LONGEST_PAUSE_MS));
    }
  }

  /** @returns whether anybody came there */
  async #killAt(name: string): Promise<boolean> {
    const { net, proxy, fleet } = this;
    const barrier = steps[name](proxy, net.relayer, net.keys.map((key) => net.pool(key).address));
    const given = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => given.resolve(undefined), STEP_PATIENCE_MS);
    const caught = await Promise.race([barrier.caught, given.promise]);
    clearTimeout(timer);
    const victim = caught && fleet.named(caught.client);
    const dies = victim?.alive === true; // the call may be one of a process that died before
    if (dies) await this.#kill(victim);
    barrier.release(caught ? "drop" : "go");
    if (dies) await victim.start();
    return dies;
  }

  /** After a number of calls that the seed chooses: anything may be going on then. */
  async #killAnywhere(): Promise<boolean> {
    const { proxy, fleet, random } = this;
    const at = proxy.calls + random.int(1, MOST_CALLS);
    await until("calls go on", () => Promise.resolve(proxy.calls >= at), PATIENCE_MS);
    const victim = fleet.any(random)!;
    await this.#kill(victim);
    await pause(random.int(0, LONGEST_PAUSE_MS));
    await victim.start();
    return true;
  }

  /** As an update would: what is under way is answered, and the lead is handed over. */
  async #restartInGoodOrder(): Promise<void> {
    const victim = this.fleet.any(this.random)!;
    equal((await victim.end("SIGTERM"))?.code, 0, `${victim.name} ends in good order`);
    this.#restarts++;
    await victim.start();
  }

  async #kill(victim: Replica): Promise<void> {
    const shared = this.databaseUrl !== undefined;
    const led = !shared || await this.fleet.leader() === victim;
    await victim.end("SIGKILL");
    const died = performance.now();
    this.#kills++;
    if (led && shared && this.fleet.alive.length > 0) this.#watching.push(this.#watchTakeover(died));
    if (!led) return;
    const death = deathOf(await this.#rows(), this.proxy.forwarded);
    this.#deaths.set(death, (this.#deaths.get(death) ?? 0) + 1);
  }

  async #watchTakeover(died: number): Promise<void> {
    await until("another leads", async () => await this.fleet.leader() !== undefined, PATIENCE_MS);
    this.#takeovers.push(performance.now() - died);
  }

  /** Ends the fleet when nothing is left to do, and reads what it leaves. */
  async #restingRows(): Promise<ArchiveRow[]> {
    const { fleet, proxy } = this;
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
      for (const replica of fleet.alive) {
        equal((await replica.end("SIGTERM"))?.code, 0, `${replica.name} ends in good order`);
      }
      const rows = await this.#rows();
      if (await this.#rests(rows)) return rows;
      await fleet.startAll();
      const at = proxy.calls + CALLS_TO_REST;
      await until("calls go on", () => Promise.resolve(proxy.calls >= at), PATIENCE_MS);
    }
    throw new Error("the relayer does not come to rest");
  }

  /** Whether the last transfer is ended and every pool is followed to its last transaction. */
  async #rests(rows: readonly ArchiveRow[]): Promise<boolean> {
    if (rows.some((row) => row.kind === "transfer")) return false;
    const chain = new ChainReading(this.net.localnet.url);
    const cursors = rows.flatMap((row) => row.kind === "cursor" ? [row.cursor.hash] : []);
    for (const key of this.net.keys) {
      const { last } = await chain.pool(this.net.pool(key).address, this.net.relayer);
      if (!cursors.includes(last.hash)) return false;
    }
    return true;
  }

  /** Everything in the store. The embedded one must not be in use. */
  async #rows(): Promise<ArchiveRow[]> {
    await using store = closing(
      this.databaseUrl === undefined
        ? await openKvStore(`${this.net.directory}data-0`)
        : await openPostgresStore(this.databaseUrl),
    );
    return await Array.fromAsync(store.rows());
  }
}

function closing(store: ArchivedStore): ArchivedStore & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
