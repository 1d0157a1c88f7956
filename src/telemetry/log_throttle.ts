/**
 * Keeps floods out of the log. A request costs a stranger nothing, so what any request can cause is logged a few times a
 * minute, with the number of lines that were left out.
 */
import type { Log } from "./log.ts";

const MINUTE_MS = 60_000;

type Level = "warning" | "error";
type Members = Readonly<Record<string, unknown>>;

/** Lines of one template in the present minute. */
interface Window {
  readonly since: number;
  lines: number;
  suppressed: number;
}

/** A logger for what strangers can cause. Lines of one template share a limit. */
export class LogThrottle {
  readonly #log: Log;
  readonly #now: () => number;
  /** By level and template; templates are literals of the program, so they are few. */
  readonly #windows = new Map<string, Window>();

  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Logs a warning, at most one a minute. */
  warning(template: string, members: Members = {}): void {
    this.#write("warning", template, members, 1);
  }

  /** Logs an error, at most ten a minute: different faults may share a template. */
  error(template: string, members: Members = {}): void {
    this.#write("error", template, members, 10);
  }

  /** Logs how many lines were left out of minutes that are over. @param all of the present minute, too */
  flush(all = false): void {
    for (const [key, window] of this.#windows) {
      if (all || this.#isOver(window)) this.#close(key, window);
    }
  }

  #write(level: Level, template: string, members: Members, limit: number): void {
    const key = `${level} ${template}`;
    const last = this.#windows.get(key);
    if (last !== undefined && this.#isOver(last)) this.#close(key, last);
    const window = this.#windows.get(key) ?? { since: this.#now(), lines: 0, suppressed: 0 };
    this.#windows.set(key, window);
    if (window.lines >= limit) {
      window.suppressed++;
      return;
    }
    window.lines++;
    this.#log[level](template, { ...members });
  }

  #isOver({ since }: Window): boolean {
    return this.#now() - since >= MINUTE_MS;
  }

  /** A summary is the first line of the next minute. */
  #close(key: string, { suppressed }: Window): void {
    this.#windows.delete(key);
    if (suppressed === 0) return;
    const space = key.indexOf(" ");
    const level = key.slice(0, space) as Level;
    this.#windows.set(key, { since: this.#now(), lines: 1, suppressed: 0 });
    const of = key.slice(space + 1);
    this.#log[level]("{suppressed} more lines like this were not logged: {of}", { suppressed, of });
  }
}
