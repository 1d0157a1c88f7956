/**
 * A client that wants its money: submits to any replica, asks again when the line breaks, proves again when it is told
 * that its withdrawal failed or expired, and never stops before it is confirmed. What it is told is written down.
 */
import type { Random } from "../simulation/random.ts";
import type { Answer, Fleet } from "./fleet.ts";
import type { ChaosNetwork, PlacedNote } from "./network.ts";

const PAUSE_MS = 250;
/** Probability of a second, equal submission beside the first. */
const TWICE = 0.15;
const HTTP = { ok: 200, accepted: 202, notFound: 404, conflict: 409, unavailable: 503 };
/** Come again: not taken yet, whatever it was. 408 is a relayer's that had no time to read the body. */
const AGAIN = [408, 429, HTTP.unavailable];

/** What clients saw. */
export interface Tally {
  readonly answers: Map<string, number>;
  /** Ends other than payment that were told: `failed` and `expired`. */
  readonly reported: string[];
  /** Withdrawals that were taken on and then not known any more. */
  readonly lost: string[];
  /** Answers that should never come. */
  readonly unexpected: string[];
  settled: number;
}

/** A tally of nothing. */
export function emptyTally(): Tally {
  return { answers: new Map(), reported: [], lost: [], unexpected: [], settled: 0 };
}

/** Withdraws notes through a fleet. */
export class PatientClient {
  readonly #told = new Set<string>();

  constructor(
    readonly net: ChaosNetwork,
    readonly fleet: Fleet,
    readonly random: Random,
    readonly tally: Tally,
    readonly signal: AbortSignal,
  ) {}

  /** Resolves when the relayer says that it is paid. */
  async withdraw(placed: PlacedNote): Promise<void> {
    while (!this.signal.aborted) {
      await this.#submit(placed);
      if (await this.#end(placed)) {
        this.tally.settled++;
        return;
      }
    }
  }

  /** Some submit twice at once, to two replicas where there are two: only one may be taken on. */
  async #submit(placed: PlacedNote): Promise<void> {
    const times = this.random.chance(TWICE) ? 2 : 1;
    const taken = await Promise.all(Array.from({ length: times }, () => this.#submitOne(placed)));
    if (times === 2 && taken[0] !== undefined && taken[0] === taken[1]) {
      this.tally.unexpected.push(`taken on twice: ${JSON.stringify(this.net.query(placed))}`);
    }
  }

  /** @returns when it was taken on, if the answer said that it was this one; one that ended may be replaced later */
  async #submitOne(placed: PlacedNote): Promise<number | undefined> {
    while (!this.signal.aborted) {
      const answer = await this.#ask("/withdraw", this.net.withdrawal(placed));
      if (answer?.status === HTTP.ok || answer?.status === HTTP.accepted) return answer.body.acceptedAt;
      if (answer?.status === HTTP.conflict) return undefined;
      // Nobody knows what a process did that died before it answered.
      if (!answer && (await this.#status(placed))?.status === HTTP.ok) return undefined;
      const mayMend = answer === undefined || AGAIN.includes(answer.status) ||
        answer.body?.code === "unknown_root";
      if (!mayMend) this.#wonder("/withdraw", answer);
      await this.#pause();
    }
  }

  /** True when it is paid, false when it ended otherwise. */
  async #end(placed: PlacedNote): Promise<boolean> {
    while (!this.signal.aborted) {
      const answer = await this.#status(placed);
      if (answer?.status === HTTP.notFound) {
        this.tally.lost.push(JSON.stringify(this.net.query(placed)));
        return false;
      }
      if (answer && answer.status !== HTTP.ok && !AGAIN.includes(answer.status)) {
        this.#wonder("/withdraw/status", answer);
      }
      const state = answer?.body?.state;
      if (state === "confirmed") return true;
      if (state === "failed" || state === "expired") {
        const { nullifierHash, settledAt, reason } = answer!.body;
        const end = `${nullifierHash} ${settledAt}`;
        if (!this.#told.has(end)) this.tally.reported.push(`${state}: ${reason}`);
        this.#told.add(end);
        await this.#pause();
        return false;
      }
      await this.#pause();
    }
    return false;
  }

  #status(placed: PlacedNote): Promise<Answer | undefined> {
    return this.#ask("/withdraw/status", this.net.query(placed));
  }

  async #ask(path: string, body: unknown): Promise<Answer | undefined> {
    const answer = await this.fleet.any(this.random)?.ask(path, body);
    const name = `${path} ${
      answer ? `${answer.status}${answer.body?.code ? ` ${answer.body.code}` : ""}` : "no answer"
    }`;
    this.tally.answers.set(name, (this.tally.answers.get(name) ?? 0) + 1);
    return answer;
  }

  #wonder(path: string, { status, body }: Answer): void {
    this.tally.unexpected.push(`${path}: ${status} ${JSON.stringify(body)}`);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, PAUSE_MS + this.random.int(0, PAUSE_MS)));
  }
}
