/**
 * A relayer under fire, all real: processes, HTTP, database, emulator, contracts. Notes go in and out through several
 * pools while the endpoint misbehaves and processes are killed at every step of their journal; then it is quiet, and
 * everything has to come out even. A seed fixes the choices, not the order in which processes happen to run.
 */
import { equal, ok } from "node:assert/strict";
import { Problem } from "../../../src/core/errors.ts";
import type { ArchivedStore, ArchiveRow } from "../../../src/store/archive.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import type { WalletVersion } from "../../../src/ton/wallet.ts";
import { Random } from "../simulation/random.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault_proxy.ts";
import type { FaultKind } from "../../support/faults.ts";
import { until } from "../../support/until.ts";
import { type Backend, type BackendKind, openBackend } from "./backend.ts";
import { ChainReading } from "./chain_reading.ts";
import { Fleet } from "./fleet.ts";
import { fuzz, type FuzzReport } from "./fuzzing_client.ts";
import type { Death } from "./journal_steps.ts";
import { judge, judgeTrees, type Verdict } from "./judge.ts";
import { Killer } from "./killer.ts";
import { ChaosNetwork, type PlacedNote } from "./network.ts";
import { emptyTally, PatientClient, type Tally } from "./patient_client.ts";

/** How hard a campaign is. */
export interface CampaignPlan {
  readonly seed: number;
  readonly store: BackendKind;
  /** 1 with the embedded store. */
  readonly replicas: number;
  /** Of the relayer: one transfer carries up to 4 messages, or many. */
  readonly wallet: WalletVersion;
  /** By registry key. */
  readonly pools: readonly string[];
  /**
   * Notes that are deposited at once into each pool, and withdrawn while the next ones come; waves go on until all kills
   * are done and every kind of fault was met.
   */
  readonly waves: number;
  readonly notesPerWave: number;
  /** Probability that a call to the endpoint meets a fault. */
  readonly faults: number;
  /** Processes killed; `steps`: at every step of their journal, else wherever they are. */
  readonly kills: number;
  readonly at: "steps" | "anywhere";
  /** Requests drawn from the API's document that are sent all the while. */
  readonly fuzzed: number;
  /** Told how it goes. */
  readonly onProgress?: (text: string) => void;
}

/** What a campaign came to. */
export interface CampaignReport extends Verdict {
  readonly plan: CampaignPlan;
  readonly calls: number;
  /** Those of them that were made while faults were drawn. */
  readonly stormCalls: number;
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
  /** How often each server that replicas share was taken away. */
  readonly outages: ReadonlyMap<string, number>;
  readonly reported: readonly string[];
  readonly fuzz: FuzzReport;
  readonly seconds: number;
}

const PATIENCE_MS = 1_200_000;
/** For which a cap counts. */
const HOUR_MS = 3_600_000;
/** What a relayer that has nothing else to do asks for in a few seconds. */
const CALLS_TO_REST = 40;
/** Notes on their way at most, or one wave of them, before the next is deposited: roots leave the pools' history. */
const MOST_UNSETTLED = 24;

/** Runs a campaign; throws an assertion when anything is not as it must be. */
export async function runCampaign(plan: CampaignPlan): Promise<CampaignReport> {
  const random = new Random(plan.seed);
  const { pools, wallet } = plan;
  await using net = await ChaosNetwork.start({ random, pools, wallet });
  await using backend = await openBackend(plan.store);
  await using proxy = startFaultProxy({ target: net.localnet.url, seed: plan.seed + 1 });
  await using fleet = new Fleet(net, proxy, plan.replicas, backend.env);
  return await new Campaign(plan, random, net, proxy, fleet, backend).run();
}

class Campaign {
  readonly #tally: Tally = emptyTally();
  readonly #stop = new AbortController();
  readonly #placed: PlacedNote[] = [];
  /** When each was deposited, before anybody withdrew it; unix milliseconds. */
  readonly #placedAt: number[] = [];
  readonly #killer: Killer;

  constructor(
    readonly plan: CampaignPlan,
    readonly random: Random,
    readonly net: ChaosNetwork,
    readonly proxy: FaultProxy,
    readonly fleet: Fleet,
    readonly backend: Backend,
  ) {
    this.#killer = new Killer({ net, proxy, fleet, backend, random, rows: () => this.#rows() });
  }

  async run(): Promise<CampaignReport> {
    const { plan, net, proxy, fleet, backend } = this;
    const killer = this.#killer;
    const started = performance.now();
    const start = await new ChainReading(net.localnet.url).balance(net.relayer);
    try {
      await fleet.startAll();
      proxy.storm(plan.faults);
      let killing = true;
      const killed = plan.at === "steps" ? killer.killAtSteps(plan.kills) : killer.killAnywhere(plan.kills);
      const kills = killed.finally(() => killing = false);
      const [fuzzed] = await Promise.all([this.#fuzz(), this.#load(() => killing), kills]);
      proxy.storm(0);
      const stormCalls = proxy.calls;
      await fleet.startAll();
      await until("every replica is ready", () => fleet.isReady(net), PATIENCE_MS);
      await judgeTrees(net, fleet);
      const rows = await this.#restingRows();
      const verdict = await judge(net, rows, this.#placed, start);
      equal(this.#tally.lost.join(), "", "nothing that was taken on is forgotten");
      equal(this.#tally.unexpected.join("\n"), "", "no answer is one that should not come");
      equal(fuzzed.wrong.join("\n"), "", "nor is any to requests that were drawn");
      equal(proxy.unmet.join(), "", "every kind of fault was met");
      const counted = await backend.counted() ?? Infinity;
      const recent = this.#placedAt.filter((at) => at > Date.now() - HOUR_MS).length;
      ok(counted >= recent, `the shared cap counted only ${counted} of ${recent}`);
      return {
        plan,
        ...verdict,
        calls: proxy.calls,
        stormCalls,
        faults: proxy.counts,
        deaths: killer.deaths,
        steps: killer.steps,
        kills: killer.kills,
        restarts: killer.restarts,
        takeovers: killer.takeovers,
        outages: backend.outages,
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
    const { plan, net, fleet, random, proxy } = this;
    const mostUnsettled = Math.max(MOST_UNSETTLED, plan.notesPerWave * net.keys.length);
    const client = new PatientClient(net, fleet, random, this.#tally, this.#stop.signal);
    const withdrawals: Promise<void>[] = [];
    for (let wave = 0; wave < plan.waves || killing() || proxy.unmet.length > 0; wave++) {
      const unsettled = () => withdrawals.length - this.#tally.settled;
      await until(
        "earlier withdrawals settle",
        () => Promise.resolve(unsettled() < mostUnsettled),
        PATIENCE_MS,
      );
      for (const key of net.keys) {
        const placed = await net.deposit(key, plan.notesPerWave);
        const placedAt = Date.now();
        this.#placed.push(...placed);
        this.#placedAt.push(...placed.map(() => placedAt));
        withdrawals.push(...placed.map((note) => client.withdraw(note)));
      }
      plan.onProgress?.(
        `wave ${
          wave + 1
        }: ${this.#placed.length} notes, ${this.#tally.settled} paid, ${this.#killer.kills} kills, ` +
          `${[...proxy.counts.values()].reduce((all, count) => all + count, 0)} faults`,
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

  /** Everything in the store. The embedded one must not be in use; a database that is busy is asked again. */
  async #rows(): Promise<ArchiveRow[]> {
    const { databaseUrl } = this.backend;
    for (const end = performance.now() + PATIENCE_MS;;) {
      try {
        await using store = closing(
          databaseUrl === undefined
            ? await openKvStore(`${this.net.directory}data-0`)
            : await openPostgresStore(databaseUrl),
        );
        return await Array.fromAsync(store.rows());
      } catch (error) {
        const isBusy = error instanceof Problem && error.code === "store_unavailable";
        if (!isBusy || performance.now() > end) throw error;
      }
    }
  }
}

function closing(store: ArchivedStore): ArchivedStore & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
