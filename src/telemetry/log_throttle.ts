/** Limits log lines that any client can cause to a few a minute, with a count of omitted lines. */
import type { Log } from "./log.ts";
import { monotonicClock } from "../core/time/clock.ts";

const MINUTE_MS = 60_000;

type ThrottledLevel = "warning" | "error";
type Members = Readonly<Record<string, unknown>>;

interface ThrottleWindow {
  readonly since: number;
  lines: number;
  suppressed: number;
}

export class LogThrottle {
  /** The key is level and template. Templates are literals of the program, so they are few. */
  readonly #windows = new Map<string, ThrottleWindow>();

  constructor(private readonly log: Log, private readonly now: () => number = monotonicClock.now) {}

  warning(template: string, members: Members = {}): void {
    this.#write("warning", template, members, 1);
  }

  /** Logs an error, at most ten a minute: different faults may share a template. */
  error(template: string, members: Members = {}): void {
    this.#write("error", template, members, 10);
  }

  flush(all = false): void {
    for (const [key, window] of this.#windows) {
      if (all || this.#isOver(window)) this.#close(key, window);
    }
  }

  #write(level: ThrottledLevel, template: string, members: Members, limit: number): void {
    const key = `${level} ${template}`;
    const last = this.#windows.get(key);
    if (last !== undefined && this.#isOver(last)) this.#close(key, last);
    const window = this.#windows.get(key) ?? { since: this.now(), lines: 0, suppressed: 0 };
    this.#windows.set(key, window);
    if (window.lines >= limit) {
      window.suppressed++;
      return;
    }
    window.lines++;
    this.log[level](template, { ...members });
  }

  #isOver({ since }: ThrottleWindow): boolean {
    return this.now() - since >= MINUTE_MS;
  }

  /** The summary counts as the first line of the next minute. */
  #close(key: string, { suppressed }: ThrottleWindow): void {
    this.#windows.delete(key);
    if (suppressed === 0) return;
    const space = key.indexOf(" ");
    const level = key.slice(0, space) as ThrottledLevel;
    this.#windows.set(key, { since: this.now(), lines: 1, suppressed: 0 });
    const of = key.slice(space + 1);
    this.log[level]("{suppressed} more lines like this were not logged: {of}", { suppressed, of });
  }
}
