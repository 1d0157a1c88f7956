/**
 * Ends relayer processes under load and starts them again: with SIGKILL at kill points and at random, and
 * with SIGTERM as an update does. Reads a dead process's journal before another process continues it.
 */
import { equal } from "node:assert/strict";
import type { ArchiveRow } from "../../src/store/archive.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import type { FaultProxy } from "../servers/fault_proxy.ts";
import { waitUntil } from "../programs/wait_until.ts";
import type { Backend } from "./backend.ts";
import type { Fleet, Replica } from "./fleet.ts";
import {
  type JournalState,
  journalStates,
  killPointFor,
  killPoints,
  readJournalState,
} from "./kill_points.ts";
import type { TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

const TIMEOUT_MS = 1_200_000;
/** After this time, a kill point counts as unreachable because the load has ended. */
const KILL_POINT_TIMEOUT_MS = 180_000;
const MAX_PAUSE_MS = 500;
const MAX_CALLS = 120;
/** A call at a kill point can also have another reason. */
const MAX_ATTEMPTS = 3;

/** The name for a kill after a random number of calls instead of a kill point. */
const ANYWHERE = "anywhere";

interface KillerDeps {
  readonly net: TrapdoorNetwork;
  readonly proxy: FaultProxy;
  readonly fleet: Fleet;
  readonly backend: Backend;
  readonly random: SeededRandom;
  /** Reads all rows of the store. */
  readonly rows: () => Promise<ArchiveRow[]>;
}

export class Killer {
  /** Journal states of the killed processes. */
  readonly journalStates = new Map<JournalState, number>();
  /** The kill points used. */
  readonly killPoints = new Map<string, number>();
  /** Milliseconds until another process leads. */
  readonly takeovers: number[] = [];
  kills = 0;
  /** The number of processes that were restarted in good order. */
  restarts = 0;
  #watching: Promise<void>[] = [];

  constructor(readonly deps: KillerDeps) {}

  /**
   * Kills `count` processes at one kill point after another, then for each journal state that has not occurred yet.
   */
  async killAtSteps(count: number): Promise<void> {
    const names = [...Object.keys(killPoints), ANYWHERE];
    while (this.kills < count) await this.#killNext(names[this.kills % names.length]);
    for (const death of count > 0 ? journalStates : []) {
      const step = killPointFor[death];
      for (let left = MAX_ATTEMPTS; step && left > 0 && !this.journalStates.has(death); left--) {
        await this.#killNext(step);
      }
    }
    await Promise.all(this.#watching);
  }

  /** Kills `count` processes at random. */
  async killAnywhere(count: number): Promise<void> {
    while (this.kills < count) await this.#killNext(ANYWHERE);
    await Promise.all(this.#watching);
  }

  async #killNext(name: string): Promise<void> {
    const { random, backend } = this.deps;
    const killed = name === ANYWHERE ? await this.#killWhereItIs() : await this.#killAt(name);
    if (killed) this.killPoints.set(name, (this.killPoints.get(name) ?? 0) + 1);
    if (name === ANYWHERE) {
      await this.#restartInGoodOrder();
      await Promise.all(this.#watching.splice(0)); // an outage is not a takeover
      await backend.causeOutage(random);
    }
    await pause(random.int(0, MAX_PAUSE_MS));
  }

  /** Returns whether a process reached the kill point. */
  async #killAt(name: string): Promise<boolean> {
    const { net, proxy, fleet } = this.deps;
    const barrier = killPoints[name](proxy, net.relayer, net.keys.map((key) => net.pool(key).address));
    const given = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => given.resolve(undefined), KILL_POINT_TIMEOUT_MS);
    const caught = await Promise.race([barrier.reached, given.promise]);
    clearTimeout(timer);
    const victim = caught && fleet.byName(caught.client);
    const dies = victim?.isRunning === true; // the call may belong to a process that is already dead
    if (dies) await this.#kill(victim);
    barrier.release(caught ? "drop" : "go");
    if (dies) await victim.start();
    return dies;
  }

  async #killWhereItIs(): Promise<boolean> {
    const { proxy, fleet, random } = this.deps;
    const at = proxy.callCount + random.int(1, MAX_CALLS);
    await waitUntil("calls go on", () => Promise.resolve(proxy.callCount >= at), TIMEOUT_MS);
    const victim = fleet.pickRunning(random)!;
    await this.#kill(victim);
    await pause(random.int(0, MAX_PAUSE_MS));
    await victim.start();
    return true;
  }

  /** Restarts a process as an update does: it answers the requests in progress and releases the lease. */
  async #restartInGoodOrder(): Promise<void> {
    const { fleet, random } = this.deps;
    const victim = fleet.pickRunning(random)!;
    equal((await victim.stop("SIGTERM"))?.code, 0, `${victim.name} ends in good order`);
    this.restarts++;
    await victim.start();
  }

  async #kill(victim: Replica): Promise<void> {
    const { backend, fleet, proxy, rows } = this.deps;
    const shared = backend.databaseUrl !== undefined;
    const wasLeader = !shared || await fleet.leader() === victim;
    await victim.stop("SIGKILL");
    const died = performance.now();
    this.kills++;
    if (wasLeader && shared && fleet.running.length > 0) this.#watching.push(this.#watchTakeover(died));
    if (!wasLeader) return;
    const death = readJournalState(await rows(), proxy.forwardedHashes);
    this.journalStates.set(death, (this.journalStates.get(death) ?? 0) + 1);
  }

  async #watchTakeover(died: number): Promise<void> {
    const { fleet } = this.deps;
    await waitUntil("another leads", async () => await fleet.leader() !== undefined, TIMEOUT_MS);
    this.takeovers.push(performance.now() - died);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
