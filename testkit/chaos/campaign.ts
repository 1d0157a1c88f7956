/**
 * A campaign of faults on real relayers: processes, HTTP, database, emulator, contracts. It deposits notes
 * into several pools and withdraws them while the endpoint fails and processes are killed at every step of
 * their journal. Afterwards everything must agree. The seed fixes the choices, but not the order in which
 * processes run.
 */
import { equal, ok } from "node:assert/strict";
import { Problem } from "../../src/core/errors/problem.ts";
import type { ArchivedStore, ArchiveRow } from "../../src/store/archive.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import type { WalletVersion } from "../../src/ton/wallet/wallet.ts";
import { SeededRandom } from "../random/seeded_random.ts";
import { type FaultProxy, startFaultProxy } from "../servers/fault_proxy.ts";
import type { FaultKind } from "../servers/endpoint_faults.ts";
import { waitUntil } from "../programs/wait_until.ts";
import { type Backend, type BackendKind, openBackend } from "./backend.ts";
import { ChainReader } from "./chain_reader.ts";
import { Fleet } from "./fleet.ts";
import { fuzz, type FuzzReport } from "./fuzzing_client.ts";
import type { JournalState } from "./kill_points.ts";
import { type CampaignTotals, verifyCampaign, verifyTrees } from "./verify_campaign.ts";
import { Killer } from "./killer.ts";
import { type DepositedNote, TrapdoorNetwork } from "../localnet/trapdoor_network.ts";
import { type ClientReport, emptyClientReport, RetryingClient } from "./retrying_client.ts";

/** The parameters of a campaign. */
export interface CampaignPlan {
  readonly seed: number;
  readonly store: BackendKind;
  /** The number of replicas: 1 with the embedded store. */
  readonly replicas: number;
  /** The relayer's wallet: one transfer carries up to 4 messages, or many. */
  readonly wallet: WalletVersion;
  /** The pools, by registry key. */
  readonly pools: readonly string[];
  /**
   * The number of waves of notes: each is deposited into every pool while the previous one is withdrawn.
   * Waves continue until all kills are done and every kind of fault has occurred.
   */
  readonly waves: number;
  readonly notesPerWave: number;
  /** The probability that a call to the endpoint has a fault. */
  readonly faultProbability: number;
  /** The number of processes to kill. `steps`: at every step of their journal, otherwise at any point. */
  readonly kills: number;
  readonly killAt: "steps" | "anywhere";
  /** Requests generated from the API's document, sent during the campaign. */
  readonly fuzzedRequests: number;
  /** Called with progress messages. */
  readonly onProgress?: (text: string) => void;
}

/** The results of a campaign. */
export interface CampaignReport extends CampaignTotals {
  readonly plan: CampaignPlan;
  readonly calls: number;
  /** Calls made while faults were enabled. */
  readonly callsUnderFaults: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Journal states of the killed processes. */
  readonly journalStates: ReadonlyMap<JournalState, number>;
  /** The kill points used. */
  readonly killPoints: ReadonlyMap<string, number>;
  readonly kills: number;
  /** The number of processes that were restarted in good order under load. */
  readonly restarts: number;
  /** The milliseconds until another process leads. */
  readonly takeovers: readonly number[];
  /** The number of interruptions, by shared server. */
  readonly outages: ReadonlyMap<string, number>;
  readonly reported: readonly string[];
  readonly fuzz: FuzzReport;
  readonly seconds: number;
}

const TIMEOUT_MS = 1_200_000;
/** The period of a cap. */
const HOUR_MS = 3_600_000;
/** The number of calls that an idle relayer makes in a few seconds. */
const CALLS_UNTIL_IDLE = 40;
/**
 * The maximum number of notes in flight, or one wave, before the next deposit. With more, roots would leave
 * the pools' history.
 */
const MAX_UNSETTLED = 24;

/** Runs a campaign. Throws an assertion if something does not agree. */
export async function runCampaign(plan: CampaignPlan): Promise<CampaignReport> {
  const random = new SeededRandom(plan.seed);
  const { pools, wallet } = plan;
  await using net = await TrapdoorNetwork.start({ random, pools, wallet });
  await using backend = await openBackend(plan.store);
  await using proxy = startFaultProxy({ target: net.localnet.url, seed: plan.seed + 1 });
  await using fleet = new Fleet(net, proxy, plan.replicas, backend.env);
  return await new Campaign(plan, random, net, proxy, fleet, backend).run();
}

class Campaign {
  readonly #tally: ClientReport = emptyClientReport();
  readonly #stop = new AbortController();
  readonly #placed: DepositedNote[] = [];
  /** The time of each deposit, before its withdrawal, in Unix milliseconds. */
  readonly #placedAt: number[] = [];
  readonly #killer: Killer;

  constructor(
    readonly plan: CampaignPlan,
    readonly random: SeededRandom,
    readonly net: TrapdoorNetwork,
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
    const start = await new ChainReader(net.localnet.url).balance(net.relayer);
    try {
      await fleet.startAll();
      proxy.setFaultProbability(plan.faultProbability);
      let killing = true;
      const killed = plan.killAt === "steps"
        ? killer.killAtSteps(plan.kills)
        : killer.killAnywhere(plan.kills);
      const kills = killed.finally(() => killing = false);
      const [fuzzed] = await Promise.all([this.#fuzz(), this.#load(() => killing), kills]);
      proxy.setFaultProbability(0);
      const stormCalls = proxy.callCount;
      await fleet.startAll();
      await waitUntil("every replica is ready", () => fleet.isReady(net), TIMEOUT_MS);
      await verifyTrees(net, fleet);
      const rows = await this.#restingRows();
      const verdict = await verifyCampaign(net, rows, this.#placed, start);
      equal(this.#tally.lost.join(), "");
      equal(this.#tally.unexpected.join("\n"), "");
      equal(fuzzed.violations.join("\n"), "");
      equal(proxy.unseenKinds.join(), "");
      const counted = await backend.countWithdrawals() ?? Infinity;
      const recent = this.#placedAt.filter((at) => at > Date.now() - HOUR_MS).length;
      ok(counted >= recent, `the shared cap counted only ${counted} of ${recent}`);
      return {
        plan,
        ...verdict,
        calls: proxy.callCount,
        callsUnderFaults: stormCalls,
        faults: proxy.counts,
        journalStates: killer.journalStates,
        killPoints: killer.killPoints,
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

  /** Deposits and withdraws waves until the plan is fulfilled and all kills are done. */
  async #load(killing: () => boolean): Promise<void> {
    const { plan, net, fleet, random, proxy } = this;
    const mostUnsettled = Math.max(MAX_UNSETTLED, plan.notesPerWave * net.keys.length);
    const client = new RetryingClient(net, fleet, random, this.#tally, this.#stop.signal);
    const withdrawals: Promise<void>[] = [];
    for (let wave = 0; wave < plan.waves || killing() || proxy.unseenKinds.length > 0; wave++) {
      const unsettled = () => withdrawals.length - this.#tally.settled;
      await waitUntil(
        "earlier withdrawals settle",
        () => Promise.resolve(unsettled() < mostUnsettled),
        TIMEOUT_MS,
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
    await waitUntil(
      "every withdrawal is settled",
      () => Promise.resolve(this.#tally.settled === withdrawals.length),
      TIMEOUT_MS,
    );
    await Promise.all(withdrawals);
  }

  async #fuzz(): Promise<FuzzReport> {
    await waitUntil("there is a note", () => Promise.resolve(this.#placed.length > 0), TIMEOUT_MS);
    return await fuzz(this.net, this.fleet, this.random, this.#placed[0], this.plan.fuzzedRequests);
  }

  /** Stops the fleet when it is idle, and reads its rows. */
  async #restingRows(): Promise<ArchiveRow[]> {
    const { fleet, proxy } = this;
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end;) {
      for (const replica of fleet.running) {
        equal((await replica.stop("SIGTERM"))?.code, 0, `${replica.name} ends in good order`);
      }
      const rows = await this.#rows();
      if (await this.#rests(rows)) return rows;
      await fleet.startAll();
      const at = proxy.callCount + CALLS_UNTIL_IDLE;
      await waitUntil("calls go on", () => Promise.resolve(proxy.callCount >= at), TIMEOUT_MS);
    }
    throw new Error("the relayer does not come to rest");
  }

  /** Returns whether the last transfer has ended and every pool is indexed to its last transaction. */
  async #rests(rows: readonly ArchiveRow[]): Promise<boolean> {
    if (rows.some((row) => row.kind === "transfer")) return false;
    const chain = new ChainReader(this.net.localnet.url);
    const cursors = rows.flatMap((row) => row.kind === "cursor" ? [row.cursor.hash] : []);
    for (const key of this.net.keys) {
      const { last } = await chain.pool(this.net.pool(key).address, this.net.relayer);
      if (!cursors.includes(last.hash)) return false;
    }
    return true;
  }

  /** Reads all rows of the store. The embedded store must not be in use; a busy database is queried again. */
  async #rows(): Promise<ArchiveRow[]> {
    const { databaseUrl } = this.backend;
    for (const end = performance.now() + TIMEOUT_MS;;) {
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
