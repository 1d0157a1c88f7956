/** Starts a worker process, sends it requests, and kills it when it takes too long. */
import { LineStream } from "../../../testkit/programs/line_stream.ts";
import type { WorkerRequest, WorkerResponse } from "./worker.ts";
import { withDeadline } from "../../../src/core/time.ts";

/** Thrown when a worker did not answer in time. The worker has been killed. */
export class WorkerTimeout extends Error {}

export class WorkerClient {
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
      .pipeThrough(new LineStream()).getReader();
  }

  /** @throws {WorkerTimeout} after `timeoutMs` */
  async request<T extends WorkerResponse>(order: WorkerRequest, patience: number): Promise<T> {
    await this.#orders.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
    const onTimeout = () => new WorkerTimeout(`no answer to ${order.do} in ${patience} ms`);
    try {
      const { value, done } = await withDeadline(patience, { onTimeout }, () => this.#reports.read());
      if (done) throw new Error("the worker ended");
      return JSON.parse(value) as T;
    } catch (error) {
      this.#child.kill("SIGKILL");
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#orders.close().catch(() => {});
    await this.#reports.cancel().catch(() => {});
    await this.#child.status;
  }
}
