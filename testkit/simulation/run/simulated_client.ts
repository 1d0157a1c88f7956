/** A client of the simulated relayer, and an observer who front-runs its withdrawals. */
import { Address } from "@ton/core";
import { Problem } from "../../../src/core/errors/problem.ts";
import { SimulatedPool, WITHDRAW_VALUE } from "../accounts.ts";
import type { SeededRandom } from "../../random/seeded_random.ts";
import { frontRunBody, type SimulatedNote, withdrawRequest } from "../requests.ts";
import { VirtualTime } from "../virtual_time.ts";
import { World } from "../world.ts";
import type { Replica } from "./replica.ts";

/** The parts that the clients of a simulation have in common. */
export interface ClientRun {
  readonly random: SeededRandom;
  readonly time: VirtualTime;
  readonly world: World;
  readonly pools: readonly SimulatedPool[];
  /** The relayer's wallet. */
  readonly address: Address;
  readonly replicas: readonly Replica[];
  readonly notes: SimulatedNote[];
  readonly counts: { waiting: number; frontRun: number; faults: number };
  /** Adds an event to the trace. */
  trace(event: string): void;
  /** Ends the run. */
  fail(reason: string): void;
}

const outsider = new Address(0, Buffer.alloc(32, 0xcc));

export class SimulatedClient {
  readonly #run: ClientRun;

  constructor(run: ClientRun) {
    this.#run = run;
  }

  /** Runs a client with a note: submits, polls, and submits again until it is paid. */
  async run(): Promise<void> {
    const pool = this.#run.random.pick(this.#run.pools);
    const note: SimulatedNote = {
      pool,
      nullifierHash: this.#run.random.element(),
      recipient: new Address(0, this.#run.random.fill(Buffer.alloc(32))),
    };
    this.#run.notes.push(note);
    this.#run.counts.waiting++;
    if (this.#run.random.chance(0.3)) this.#interfere(note);
    while (!pool.spent.has(note.nullifierHash)) {
      await this.#attempt(note);
      await this.#run.time.delay(this.#run.random.int(1_000, 60_000));
    }
    if (!pool.spent.get(note.nullifierHash)!.equals(this.#run.address)) this.#run.counts.frontRun++;
    this.#run.trace(`paid ${note.nullifierHash}`);
    this.#run.counts.waiting--;
  }

  /** Sends one request, or several equal ones at once. A killed process does not answer. */
  async #attempt(note: SimulatedNote): Promise<void> {
    const { relayer, life } = this.#run.random.pick(this.#run.replicas);
    if (!relayer) return;
    const root = this.#run.random.pick(note.pool.roots.slice(0, this.#run.random.chance(0.1) ? 30 : 3));
    const request = withdrawRequest(note, root, this.#run.address);
    const copies = this.#run.random.chance(0.2) ? this.#run.random.int(2, 5) : 1;
    const answers = Array.from({ length: copies }, async () => {
      try {
        const { sent, withdrawal } = await relayer.submit(request);
        this.#run.trace(`${note.nullifierHash} ${withdrawal.state}`);
        return sent || withdrawal.state === "accepted" ? "accepted" : "ended";
      } catch (error) {
        this.#run.trace(`${note.nullifierHash} ${error instanceof Problem ? error.code : "error"}`);
        return "refused";
      }
    });
    const timeout = this.#run.time.delay(60_000).then(() => undefined);
    const accepted = await Promise.race([Promise.all(answers), timeout]);
    if (accepted && !life.isKilled) {
      // The relayer accepts one of several equal requests at once, and another only after the first has
      // ended.
      if (accepted.filter((answer) => answer === "accepted").length > 1) {
        this.#run.fail("two equal requests were both accepted");
      }
    }
  }

  /**
   * Observes the mempool and interferes: sends the withdrawal first, or an invalid one with the same
   * nullifier hash and query id, which the pool rejects.
   */
  async #interfere(note: SimulatedNote): Promise<void> {
    const { pool, nullifierHash } = note;
    const forged = this.#run.random.chance(0.6);
    let seen = undefined;
    while (!seen && !pool.spent.has(nullifierHash)) {
      await this.#run.time.delay(1_000);
      seen = this.#run.world.visible().find((body) => body.nullifierHash === nullifierHash);
    }
    const body = frontRunBody({ ...note, root: pool.roots[0], relayer: this.#run.address, forged, seen });
    this.#run.world.send(outsider, pool.address, 2n * WITHDRAW_VALUE, body);
    this.#run.trace(forged ? "forgery" : "front-run");
    this.#run.counts.faults++;
  }
}
