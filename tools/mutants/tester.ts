/** A worker process as seen from outside: orders in, reports out, killed when it takes too long. */
import { TextLineStream } from "../../tests/support/text_lines.ts";
import type { Order, Report } from "./worker.ts";

/** Thrown when a worker did not answer in time; it is dead then. */
export class TimedOut extends Error {}

export class Tester {
  readonly #child: Deno.ChildProcess;
  readonly #orders: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reports: ReadableStreamDefaultReader<string>;

  constructor() {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", new URL("worker.ts", import.meta.url).pathname],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#orders = this.#child.stdin.getWriter();
    this.#reports = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
  }

  /** @throws {TimedOut} after so many milliseconds */
  async ask<T extends Report>(order: Order, patience: number): Promise<T> {
    await this.#orders.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TimedOut(`no answer to ${order.do} in ${patience} ms`)), patience);
    });
    try {
      const { value, done } = await Promise.race([this.#reports.read(), late]);
      if (done) throw new Error("the worker ended");
      return JSON.parse(value) as T;
    } catch (error) {
      this.#child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#orders.close().catch(() => {});
    await this.#reports.cancel().catch(() => {});
    await this.#child.status;
  }
}
