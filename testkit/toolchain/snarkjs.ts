/**
 * Loads snarkjs in Deno, for tools and tests only: it is the reference for the prover, and creates the
 * development keys. It has the licence GPL-3, so nothing under src/ may import it.
 */
import workerThreads from "node:worker_threads";
import type { ProofWithSignals } from "../../src/core/crypto/groth16.ts";
import type { CircuitInputs } from "../../src/prover/witness.ts";
import config from "../../deno.json" with { type: "json" };
import { sha256 } from "./artifact_pins.ts";
import { cached } from "./build_cache.ts";

// snarkjs starts its threads with npm `web-worker`, which builds a browser's Worker on node:worker_threads by
// replacing the global object's prototype. That throws in Deno. Deno has a Worker, so the class that web-worker looks
// up is replaced by a thin wrapper of it.
type Listener = (value: unknown) => void;

class NodeWorkerOverWebWorker {
  readonly #worker: Worker;

  constructor(file: string, options: { workerData?: { mod?: string } } = {}) {
    const source = options.workerData?.mod;
    if (source === undefined) throw new Error(`only web-worker starts workers here, not ${file}`);
    this.#worker = new Worker(source, { type: "module" });
  }

  on(type: "message" | "error" | "exit", listener: Listener): void {
    if (type === "message") this.#worker.addEventListener("message", ({ data }) => listener(data));
    if (type === "error") {
      this.#worker.addEventListener("error", ({ message }) => listener(new Error(message)));
    }
  }

  postMessage(data: unknown, transfer: Transferable[] = []): void {
    this.#worker.postMessage(data, transfer);
  }

  terminate(): void {
    this.#worker.terminate();
  }
}

Object.assign(workerThreads, { Worker: NodeWorkerOverWebWorker });

/** A file of snarkjs: a path, or bytes in memory. */
export type SnarkjsFile = string | { type: "mem"; data?: Uint8Array };

export interface SnarkjsLogger {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** The part of snarkjs 0.7.6 that this repository uses. Field elements are decimal strings. */
export interface Snarkjs {
  readonly powersOfTau: {
    newAccumulator(curve: Curve, power: number, file: SnarkjsFile, logger?: SnarkjsLogger): Promise<unknown>;
    contribute(
      from: SnarkjsFile,
      to: SnarkjsFile,
      name: string,
      entropy: string,
      logger?: SnarkjsLogger,
    ): Promise<unknown>;
    preparePhase2(from: SnarkjsFile, to: SnarkjsFile, logger?: SnarkjsLogger): Promise<unknown>;
  };
  readonly zKey: {
    newZKey(
      r1cs: SnarkjsFile,
      ptau: SnarkjsFile,
      zkey: SnarkjsFile,
      logger?: SnarkjsLogger,
    ): Promise<unknown>;
    contribute(
      from: SnarkjsFile,
      to: SnarkjsFile,
      name: string,
      entropy: string,
      logger?: SnarkjsLogger,
    ): Promise<unknown>;
    exportVerificationKey(zkey: SnarkjsFile): Promise<Record<string, unknown>>;
    verifyFromR1cs(
      r1cs: SnarkjsFile,
      ptau: SnarkjsFile,
      zkey: SnarkjsFile,
      logger?: SnarkjsLogger,
    ): Promise<boolean>;
  };
  readonly wtns: {
    calculate(input: Record<string, unknown>, wasm: SnarkjsFile, wtns: SnarkjsFile): Promise<void>;
  };
  readonly groth16: {
    fullProve(
      input: Record<string, unknown>,
      wasm: SnarkjsFile,
      zkey: SnarkjsFile,
      logger?: SnarkjsLogger,
      wtnsOptions?: unknown,
      proverOptions?: { singleThread?: boolean },
    ): Promise<{ proof: Record<string, unknown>; publicSignals: string[] }>;
    prove(
      zkey: SnarkjsFile,
      wtns: SnarkjsFile,
      logger?: SnarkjsLogger,
      options?: { singleThread?: boolean },
    ): Promise<ProofWithSignals>;
    verify(
      vkey: unknown,
      publicSignals: readonly string[],
      proof: unknown,
      logger?: SnarkjsLogger,
    ): Promise<boolean>;
  };
  readonly curves: { getCurveFromName(name: "bls12381"): Promise<Curve> };
}

/** A curve of ffjavascript, which owns its worker threads. */
interface Curve {
  terminate(): Promise<void>;
}

/** Loads snarkjs. It starts a worker thread per core on first use; end them with {@linkcode closeSnarkjs}. */
export async function openSnarkjs(): Promise<Snarkjs> {
  // A variable module name, because the package has no types.
  const name = "snarkjs";
  return await import(name);
}

/** Returns a witness file and its proof by snarkjs, which proves once per version of itself, key and witness. */
export async function referenceProof(
  snarkjs: Snarkjs,
  { wasm, zkey, inputs }: { wasm: Uint8Array; zkey: Uint8Array; inputs: CircuitInputs },
): Promise<ProofWithSignals & { readonly witness: Uint8Array }> {
  const file = { type: "mem" as const, data: new Uint8Array() };
  await snarkjs.wtns.calculate(inputs, { type: "mem", data: wasm }, file);
  const key = [config.imports.snarkjs, sha256(zkey), sha256(file.data)];
  const proved = await cached("proof", key, () => snarkjs.groth16.prove({ type: "mem", data: zkey }, file));
  return { witness: file.data, ...proved };
}

/** Ends snarkjs' worker threads. Otherwise the process does not end. */
export async function closeSnarkjs(): Promise<void> {
  await (globalThis as { curve_bls12381?: Curve | null }).curve_bls12381?.terminate();
}
