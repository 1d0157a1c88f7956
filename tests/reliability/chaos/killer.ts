/**
 * Ends relayer processes under load: with SIGKILL at the steps of their journal and anywhere, with SIGTERM as an update
 * would; and starts them again. What a dead one's journal held is read before anybody goes on from it.
 */
import { equal } from "node:assert/strict";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import type { Random } from "../simulation/random.ts";
import type { FaultProxy } from "../../support/fault_proxy.ts";
import { until } from "../../support/until.ts";
import type { Backend } from "./backend.ts";
import type { Fleet, Replica } from "./fleet.ts";
import { type Death, deathOf, deaths, steps, stepsTo } from "./journal_steps.ts";
import type { ChaosNetwork } from "./network.ts";

const PATIENCE_MS = 1_200_000;
/** A step that nobody comes to any more because the load ran dry is given up after this. */
const STEP_PATIENCE_MS = 180_000;
const LONGEST_PAUSE_MS = 500;
const MOST_CALLS = 120;
/** A call that stands at a step may be made for another reason, too. */
const MOST_ATTEMPTS = 3;

/** The step that is none: after a number of calls that the seed chooses, whatever goes on then. */
export const ANYWHERE = "anywhere";

/** What a killer needs. */
export interface KillerDeps {
  readonly net: ChaosNetwork;
  readonly proxy: FaultProxy;
  readonly fleet: Fleet;
  readonly backend: Backend;
  readonly random: Random;
  /** Everything in the store. */
  readonly rows: () => Promise<ArchiveRow[]>;
}

/** See the module. */
export class Killer {
  /** Where processes were killed, as their journals told. */
  readonly deaths = new Map<Death, number>();
  /** At which step they were held for it. */
  readonly steps = new Map<string, number>();
  /** Milliseconds until another process led. */
  readonly takeovers: number[] = [];
  kills = 0;
  /** Processes told to end, and started again. */
  restarts = 0;
  #watching: Promise<void>[] = [];

  constructor(readonly deps: KillerDeps) {}

  /**
   * Kills so many, step after step; then again where nobody has died yet at a point of the journal that leads to another
   * way of starting again.
   */
  async killAtSteps(count: number): Promise<void> {
    const names = [...Object.keys(steps), ANYWHERE];
    while (this.kills < count) await this.#killNext(names[this.kills % names.length]);
    for (const death of count > 0 ? deaths : []) {
      const step = stepsTo[death];
      for (let left = MOST_ATTEMPTS; step && left > 0 && !this.deaths.has(death); left--) {
        await this.#killNext(step);
      }
    }
    await Promise.all(this.#watching);
  }

  /** Kills so many, wherever they are. */
  async killAnywhere(count: number): Promise<void> {
    while (this.kills < count) await this.#killNext(ANYWHERE);
    await Promise.all(this.#watching);
  }

  async #killNext(name: string): Promise<void> {
    const { random, backend } = this.deps;
    const killed = name === ANYWHERE ? await this.#killWhereItIs() : await this.#killAt(name);
    if (killed) this.steps.set(name, (this.steps.get(name) ?? 0) + 1);
    if (name === ANYWHERE) {
      await this.#restartInGoodOrder();
      await Promise.all(this.#watching.splice(0)); // an outage is no part of a takeover
      await backend.outage(random);
    }
    await pause(random.int(0, LONGEST_PAUSE_MS));
  }

  /** @returns whether anybody came there */
  async #killAt(name: string): Promise<boolean> {
    const { net, proxy, fleet } = this.deps;
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

  async #killWhereItIs(): Promise<boolean> {
    const { proxy, fleet, random } = this.deps;
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
    const { fleet, random } = this.deps;
    const victim = fleet.any(random)!;
    equal((await victim.end("SIGTERM"))?.code, 0, `${victim.name} ends in good order`);
    this.restarts++;
    await victim.start();
  }

  async #kill(victim: Replica): Promise<void> {
    const { backend, fleet, proxy, rows } = this.deps;
    const shared = backend.databaseUrl !== undefined;
    const led = !shared || await fleet.leader() === victim;
    await victim.end("SIGKILL");
    const died = performance.now();
    this.kills++;
    if (led && shared && fleet.alive.length > 0) this.#watching.push(this.#watchTakeover(died));
    if (!led) return;
    const death = deathOf(await rows(), proxy.forwarded);
    this.deaths.set(death, (this.deaths.get(death) ?? 0) + 1);
  }

  async #watchTakeover(died: number): Promise<void> {
    const { fleet } = this.deps;
    await until("another leads", async () => await fleet.leader() !== undefined, PATIENCE_MS);
    this.takeovers.push(performance.now() - died);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
