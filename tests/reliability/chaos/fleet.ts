/** Relayer processes on one store behind one bad endpoint: started, killed, started again, asked. */
import type { ServedRelayer } from "../../support/serve.ts";
import { serve } from "../../support/serve.ts";
import type { FaultProxy } from "../../support/fault_proxy.ts";
import type { Random } from "../simulation/random.ts";
import type { ChaosNetwork } from "./network.ts";

const ENTRY = new URL("./serve_trapdoor.ts", import.meta.url).pathname;
/** Longer than a relayer makes anybody wait. */
const PATIENCE_MS = 60_000;
const MOST_STARTS = 10;

/** An answer of a relayer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** One process, or the place where one was. */
export class Replica {
  #process: ServedRelayer | undefined;
  #earlier = "";

  constructor(readonly name: string, readonly env: Record<string, string>) {}

  get alive(): boolean {
    return this.#process !== undefined;
  }

  /** Everything that its processes logged. */
  get log(): string {
    return this.#earlier + (this.#process?.log() ?? "");
  }

  /** Starts it; one that ends because its database is away is started again, as a supervisor would. */
  async start(): Promise<void> {
    for (let left = MOST_STARTS; this.#process === undefined; left--) {
      try {
        this.#process = await serve(this.env, ["run", "-A", "--no-check", ENTRY, "serve"]);
      } catch (error) {
        if (left === 0 || !(error as Error).message.includes("[store_unavailable]")) throw error;
      }
    }
  }

  /** Ends it and waits. */
  async end(signal: Deno.Signal): Promise<Deno.CommandStatus | undefined> {
    const process = this.#process;
    this.#process = undefined;
    const status = await process?.end(signal);
    this.#earlier += process?.log() ?? "";
    return status;
  }

  /** GET, or POST of a JSON body. */
  async ask(path: string, body?: unknown): Promise<Answer | undefined> {
    return await this.fetch(path, {
      ...body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      },
    });
  }

  /** undefined: it is not there, or died before it answered. */
  async fetch(path: string, init: RequestInit): Promise<Answer | undefined> {
    if (!this.#process) return undefined;
    let text: string;
    let response: Response;
    try {
      response = await fetch(this.#process.url + path, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
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

  /** @param backend variables of what they share; none: the embedded store, and one process */
  constructor(
    net: ChaosNetwork,
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
        TONADO_TEST_ARTIFACTS: net.directory,
        ...backend,
      }));
  }

  get alive(): Replica[] {
    return this.replicas.filter(({ alive }) => alive);
  }

  /** One that is there; undefined when none is. */
  any(random: Random): Replica | undefined {
    const { alive } = this;
    return alive.length === 0 ? undefined : random.pick(alive);
  }

  named(name: string): Replica {
    return this.replicas.find((replica) => replica.name === name)!;
  }

  async startAll(): Promise<void> {
    for (const replica of this.replicas) if (!replica.alive) await replica.start();
  }

  /** The replica that says it leads. */
  async leader(): Promise<Replica | undefined> {
    for (const replica of this.alive) {
      if ((await replica.ask("/readyz"))?.body?.leads === true) return replica;
    }
    return undefined;
  }

  /** Whether every replica serves every pool with as many leaves as `net` knows. */
  async isReady(net: ChaosNetwork): Promise<boolean> {
    for (const replica of this.replicas) {
      const body = (await replica.ask("/readyz"))?.body;
      if (body?.ready !== true) return false;
      if (net.keys.some((key) => body.pools[key].leaves !== net.tree(key).size)) return false;
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.replicas.map((replica) => replica.end("SIGKILL")));
  }
}
