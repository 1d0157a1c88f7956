/** Relayer processes on one store behind one faulty endpoint. */
import type { RelayerProcess } from "../relayer/relayer_process.ts";
import { startRelayerProcess } from "../relayer/relayer_process.ts";
import type { FaultProxy } from "../servers/fault_proxy.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import type { TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

/** This is longer than a relayer delays any answer. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_STARTS = 10;

export interface ReplicaResponse {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** A replica: a running process, or the place of a killed one. */
export class Replica {
  #process: RelayerProcess | undefined;
  #earlier = "";

  constructor(readonly name: string, readonly env: Record<string, string>) {}

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Returns the log of all its processes. */
  get log(): string {
    return this.#earlier + (this.#process?.log() ?? "");
  }

  /** Starts a process. Starts it again if it exits because its database is down, as a supervisor would. */
  async start(): Promise<void> {
    for (let left = MAX_STARTS; this.#process === undefined; left--) {
      try {
        this.#process = await startRelayerProcess(this.env);
      } catch (error) {
        if (left === 0 || !(error as Error).message.includes("[store_unavailable]")) throw error;
      }
    }
  }

  /** Ends the process and waits. */
  async stop(signal: Deno.Signal): Promise<Deno.CommandStatus | undefined> {
    const process = this.#process;
    this.#process = undefined;
    const status = await process?.stop(signal);
    this.#earlier += process?.log() ?? "";
    return status;
  }

  /** Sends a GET, or a POST with a JSON body. */
  async request(path: string, body?: unknown): Promise<ReplicaResponse | undefined> {
    return await this.fetch(path, {
      ...body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      },
    });
  }

  /** Returns undefined if the process is not running or dies before it answers. */
  async fetch(path: string, init: RequestInit): Promise<ReplicaResponse | undefined> {
    if (!this.#process) return undefined;
    let text: string;
    let response: Response;
    try {
      response = await fetch(this.#process.url + path, {
        ...init,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      text = await response.text();
    } catch {
      return undefined;
    }
    const { status, headers } = response;
    return { status, headers, body: text === "" ? undefined : JSON.parse(text) };
  }
}

/** Replicas of one relayer. */
export class Fleet implements AsyncDisposable {
  readonly replicas: readonly Replica[];

  /** @param backend variables of the shared storage; none for one process with the embedded store */
  constructor(
    net: TrapdoorNetwork,
    proxy: FaultProxy,
    count: number,
    backend: Readonly<Record<string, string>> = {},
  ) {
    this.replicas = Array.from({ length: count }, (_, i) =>
      new Replica(`r${i}`, {
        RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
        RELAYER_WALLET_VERSION: net.relayerWallet.version,
        RELAYER_NETWORK: "localnet",
        INDEXER_URL: proxy.url(`r${i}`),
        RELAYER_DEPLOYMENTS: net.registry,
        RELAYER_DATA_DIR: `${net.directory}data-${i}`,
        RELAYER_PORT: "0",
        ...backend,
      }));
  }

  get running(): Replica[] {
    return this.replicas.filter(({ isRunning: alive }) => alive);
  }

  /** Returns a running replica; undefined if none is. */
  pickRunning(random: SeededRandom): Replica | undefined {
    const { running: alive } = this;
    return alive.length === 0 ? undefined : random.pick(alive);
  }

  byName(name: string): Replica {
    return this.replicas.find((replica) => replica.name === name)!;
  }

  async startAll(): Promise<void> {
    for (const replica of this.replicas) if (!replica.isRunning) await replica.start();
  }

  /** Returns the replica that reports to be the leader. */
  async leader(): Promise<Replica | undefined> {
    for (const replica of this.running) {
      if ((await replica.request("/readyz"))?.body?.leads === true) return replica;
    }
    return undefined;
  }

  /** Returns whether every replica serves every pool with all leaves of `net`. */
  async isReady(net: TrapdoorNetwork): Promise<boolean> {
    for (const replica of this.replicas) {
      const body = (await replica.request("/readyz"))?.body;
      if (body?.ready !== true) return false;
      if (net.keys.some((key) => body.pools[key].leaves !== net.tree(key).size)) return false;
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.replicas.map((replica) => replica.stop("SIGKILL")));
  }
}
