/**
 * Starts local networks of tests. The first network of a test run saves its state in the folder that
 * TONADO_TEST_STATES names (`tools/check/run_tests.ts`), and later ones with the same pools start from it.
 */
import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../src/core/time/clock.ts";
import { type Localnet, type LocalnetOptions, startLocalnet } from "../../src/localnet/localnet.ts";
import { loadPoolCode, type PoolKind } from "../../src/ton/pool/state_init.ts";

const poolKinds: readonly PoolKind[] = ["native", "jetton", "native2", "jetton2"];

/** Works like {@linkcode startLocalnet}. */
export async function startTestLocalnet(
  options: Omit<LocalnetOptions, "config" | "state">,
): Promise<Localnet> {
  const folder = Deno.env.get("TONADO_TEST_STATES");
  if (folder === undefined) return await startLocalnet(options);
  const file = `${folder}/${stateKey(options)}.json`;
  const saved = await Deno.readTextFile(file).catch(() => undefined);
  if (saved !== undefined) return await startLocalnet({ ...options, state: JSON.parse(saved) });
  const localnet = await startLocalnet(options);
  await writeAtomically(file, JSON.stringify(await localnet.save()));
  return localnet;
}

/** This machine's clock and that of a localnet, which a test moves forward together. */
export class MovableClock implements Clock {
  #aheadMs = 0;
  #stoppedAt: number | undefined;
  readonly #sleepers = new Set<() => void>();

  constructor(readonly localnet: Localnet) {}

  now(): number {
    return this.#stoppedAt ?? systemClock.now() + this.#aheadMs;
  }

  /** Stops this machine's clock until {@linkcode advance}. */
  stop(): void {
    this.#stoppedAt = this.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const end = this.now() + ms;
    while (this.now() < end && !signal?.aborted) {
      const moved = new AbortController();
      const wake = () => moved.abort();
      this.#sleepers.add(wake);
      await systemClock.sleep(
        end - this.now(),
        signal ? AbortSignal.any([signal, moved.signal]) : moved.signal,
      );
      this.#sleepers.delete(wake);
    }
  }

  /** Wakes those who sleep until then. */
  async advance(ms: number): Promise<void> {
    // While this clock was stopped, the network's went on, and no block may be older than the last one.
    const network = systemClock.now() + this.#aheadMs + 1_000;
    this.#aheadMs = Math.max(this.now() + ms, network) - systemClock.now();
    this.#stoppedAt = undefined;
    await this.localnet.setNow(Math.floor(this.now() / 1000));
    for (const wake of this.#sleepers) wake();
  }

  /** Returns a clock that advances this one instead of sleeping for a second or longer. */
  sleepless(): Clock {
    return {
      now: () => this.now(),
      sleep: async (ms, signal) => ms < 1000 ? await this.sleep(ms, signal) : await this.advance(ms),
    };
  }
}

/** Depends on the pools and on their code, which test keys change. */
function stateKey({ pools, jettonPools, version2Pools, version2JettonPools }: LocalnetOptions): string {
  const codes = poolKinds.map((kind) => loadPoolCode(kind).codeHash);
  const content = JSON.stringify({ pools, jettonPools, version2Pools, version2JettonPools, codes });
  return createHash("sha256").update(content).digest("hex");
}

async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = `${file}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(temporary, text);
  await Deno.rename(temporary, file);
}
