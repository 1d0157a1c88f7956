/** Starts a worker process, sends it requests, and kills it when it takes too long. */
import { LineStream } from "../../../testkit/programs/line_stream.ts";
import type { WorkerRequest, WorkerResponse } from "./worker.ts";
import { withDeadline } from "../../../src/core/time/deadline.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

/** Thrown when a worker did not respond in time. The worker has been killed. */
export class WorkerTimeout extends Error {}

export class WorkerClient {
  readonly #child: Deno.ChildProcess;
  readonly #requests: WritableStreamDefaultWriter<Uint8Array>;
  readonly #responses: ReadableStreamDefaultReader<string>;

  constructor() {
    this.#child = childCommand(Deno.execPath(), {
      args: ["run", "-A", "--no-check", new URL("worker.ts", import.meta.url).pathname],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#requests = this.#child.stdin.getWriter();
    this.#responses = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new LineStream()).getReader();
  }

  /** @throws {WorkerTimeout} after `timeoutMs` */
  async request<T extends WorkerResponse>(request: WorkerRequest, timeoutMs: number): Promise<T> {
    await this.#requests.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    const onTimeout = () => new WorkerTimeout(`no response to ${request.do} in ${timeoutMs} ms`);
    try {
      const { value, done } = await withDeadline(timeoutMs, { onTimeout }, () => this.#responses.read());
      if (done) throw new Error("the worker ended");
      return JSON.parse(value) as T;
    } catch (error) {
      this.#child.kill("SIGKILL");
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#requests.close().catch(() => {});
    await this.#responses.cancel().catch(() => {});
    await this.#child.status;
  }
}
