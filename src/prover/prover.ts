/** Makes and verifies proofs on worker threads. Every proof is verified before it is returned. */
import { Problem } from "../core/errors/problem.ts";
import type { PoolVersion } from "../core/protocol/deployments.ts";
import {
  type AnyCircuitName,
  type CircuitName,
  circuitsOfVersion,
  combinedVkeyHash,
  type Groth16Proof,
  type ProofWithSignals,
  type Version2CircuitName,
} from "../core/crypto/groth16.ts";
import { parseProof } from "../core/crypto/proof_codec.ts";
import type { SettlementInput } from "../core/tree/settlement.ts";
import { threadRuntime } from "../threads/thread_runtime.ts";
import { typedArraysIn } from "../threads/transferable.ts";
import { WorkerPool } from "../threads/worker_pool.ts";
import { type Artifacts, openArtifacts } from "./artifacts.ts";
import { circuitFilesLoader } from "./circuit_files.ts";
import {
  proofToBytes,
  signalsToBytes,
  type VerificationKey,
  verificationKeyToBytes,
} from "./groth16_bytes.ts";
import { proverLocations } from "./locations.ts";
import type { CircuitInputs } from "./witness.ts";
import { type CircuitVkey, prove, type ProveOptions, type ProverPool, verifyBytes } from "./proof_job.ts";

export type { ProofProgress, ProveOptions } from "./proof_job.ts";

/** Inputs of the withdrawal circuits of both versions: field elements in [0, r). The paths have 20 entries. */
export interface WithdrawInput {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly recipient: bigint;
  readonly relayer: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly nullifier: bigint;
  readonly secret: bigint;
  readonly pathElements: readonly bigint[];
  readonly pathIndices: readonly number[];
}

/** Inputs of the deposit circuit: field elements in [0, r). The path has 20 entries. */
export interface DepositInput {
  readonly prevRoot: bigint;
  readonly newRoot: bigint;
  readonly commitment: bigint;
  readonly leafIndex: number;
  readonly pathElements: readonly bigint[];
}

/** Computes and verifies proofs on worker threads. */
export interface Prover {
  /**
   * Throws `constraints_unsatisfied`, `not_in_field` or `invalid_request` for wrong inputs;
   * `artifact_corrupted`, `artifact_unavailable`; `cancelled`.
   */
  proveWithdraw(input: WithdrawInput, options?: ProveOptions): Promise<ProofWithSignals>;
  proveDeposit(input: DepositInput, options?: ProveOptions): Promise<ProofWithSignals>;
  /** Proves a withdrawal from a version 2 pool. Throws as `proveWithdraw` does. */
  proveWithdraw2(input: WithdrawInput, options?: ProveOptions): Promise<ProofWithSignals>;
  /** Proves a settlement; `input` is from `settlementInputs`. Throws as `proveWithdraw` does. */
  proveSettlement(input: SettlementInput, options?: ProveOptions): Promise<ProofWithSignals>;
  /**
   * Returns false for an invalid or malformed proof or signal. Throws `cancelled`, `verification_busy` if the
   * queue is full, and for a circuit of version 2 `artifact_corrupted` or `artifact_unavailable`.
   */
  verify(
    circuit: AnyCircuitName,
    proof: Groth16Proof,
    publicSignals: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /** Hex SHA-256 of the verification key file of each circuit; those of version 2 only if the artifacts have them. */
  readonly vkeyHash: Readonly<Record<CircuitName, string> & Partial<Record<Version2CircuitName, string>>>;
  /** What {@linkcode combinedVkeyHash} gives for pools of each version. */
  readonly poolKeyHashes: Readonly<Partial<Record<PoolVersion, string>>>;
  readonly label: string;
  /** Terminates the workers. Running tasks fail with `cancelled`. */
  close(): void;
}

export interface ProverOptions {
  /** Default: one for each core, at most 4. A proof uses at most 7. */
  readonly maxWorkers?: number;
  readonly artifacts?: Artifacts;
  /** Tasks that may wait for a worker. Default: 1,024. */
  readonly maxQueuedTasks?: number;
  /** Milliseconds after which an idle worker ends. Default: workers live until `close`. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds for a worker to finish a cancelled task before it is terminated. Default: 1,000. */
  readonly cancelTimeoutMs?: number;
  readonly startWorker?: () => Worker;
}

/** A worker holds up to 50 MB; four take a third of the time of one (docs/performance.md). */
const MAX_WORKERS = 4;
const MAX_QUEUED_TASKS = 1024;
/** A replacement worker takes about as long to become as fast as the terminated one. */
const CANCEL_TIMEOUT_MS = 1000;

/**
 * Creates a prover. It checks the verification keys of version 1 and reads all other keys at their first use.
 * @throws {Problem} `artifact_corrupted` with the verification key's name, `artifact_unavailable` with its URL
 * @example
 * ```ts
 * const prover = await createProver({ maxWorkers: 2 });
 * try {
 *   await depositNative({ chain, pool, network: "testnet", wallet, note, prover });
 * } finally {
 *   prover.close();
 * }
 * ```
 */
export async function createProver(options: ProverOptions = {}): Promise<Prover> {
  const artifacts = options.artifacts ?? openArtifacts();
  const getVkey = vkeyLoader(artifacts);
  await Promise.all(circuitsOfVersion[1].map(getVkey));
  const pool = createPool(options);
  const loadFiles = circuitFilesLoader(artifacts, (zkey) => pool.run({ kind: "parse_key", zkey }));
  const proveCircuit = async (circuit: AnyCircuitName, inputs: CircuitInputs, options: ProveOptions = {}) =>
    await prove(pool, await getVkey(circuit), () => loadFiles(circuit), inputs, options);
  const proveWithdrawal =
    (circuit: "withdraw" | "withdraw2") => async (input: WithdrawInput, options?: ProveOptions) => {
      const pathIndices = input.pathIndices.map((bit) => toIntegerInput(bit, "pathIndices"));
      return await proveCircuit(circuit, { ...input, pathIndices }, options);
    };
  const vkeyHash = {
    withdraw: artifacts.expectedSha256("withdraw.vkey.json"),
    deposit: artifacts.expectedSha256("deposit.vkey.json"),
  };
  const version2 = artifacts.version2Label === undefined ? undefined : {
    withdraw2: artifacts.expectedSha256("withdraw2.vkey.json"),
    settle16: artifacts.expectedSha256("settle16.vkey.json"),
  };
  return {
    label: artifacts.label,
    vkeyHash: { ...vkeyHash, ...version2 },
    poolKeyHashes: { 1: combinedVkeyHash(vkeyHash), ...version2 && { 2: combinedVkeyHash(version2) } },
    proveWithdraw: proveWithdrawal("withdraw"),
    async proveDeposit(input, options) {
      const leafIndex = toIntegerInput(input.leafIndex, "leafIndex");
      return await proveCircuit("deposit", { ...input, leafIndex }, options);
    },
    proveWithdraw2: proveWithdrawal("withdraw2"),
    proveSettlement: async (input, options) => await proveCircuit("settle16", { ...input }, options),
    async verify(circuit, proof, publicSignals, { signal } = {}) {
      // Check the length first: the list may be long and hostile.
      const vkey = await getVkey(circuit);
      if (!Array.isArray(publicSignals) || publicSignals.length !== vkey.publicSignalCount) return false;
      let encoded: [proof: Uint8Array, signals: Uint8Array];
      try {
        encoded = [proofToBytes(parseProof(proof)), signalsToBytes(publicSignals)];
      } catch (error) {
        if (error instanceof Problem) return false;
        throw error;
      }
      return await verifyBytes(pool, vkey, ...encoded, signal);
    },
    close: () => pool.close(),
  };
}

function vkeyLoader(artifacts: Artifacts): (circuit: AnyCircuitName) => Promise<CircuitVkey> {
  const vkeys = new Map<AnyCircuitName, Promise<CircuitVkey>>();
  return (circuit) => {
    const known = vkeys.get(circuit);
    if (known !== undefined) return known;
    const loading = loadVkey(artifacts, circuit);
    vkeys.set(circuit, loading);
    loading.catch(() => vkeys.delete(circuit));
    return loading;
  };
}

async function loadVkey(artifacts: Artifacts, circuit: AnyCircuitName): Promise<CircuitVkey> {
  const json = new TextDecoder().decode(await artifacts.load(`${circuit}.vkey.json`));
  const key: VerificationKey = JSON.parse(json);
  return { circuit, bytes: verificationKeyToBytes(key), publicSignalCount: key.nPublic };
}

function createPool(options: ProverOptions): ProverPool {
  return new WorkerPool({
    name: "prover",
    maxWorkers: options.maxWorkers ?? Math.min(MAX_WORKERS, threadRuntime.coreCount()),
    maxQueuedTasks: options.maxQueuedTasks ?? MAX_QUEUED_TASKS,
    idleTimeoutMs: options.idleTimeoutMs,
    cancelTimeoutMs: options.cancelTimeoutMs ?? CANCEL_TIMEOUT_MS,
    startWorker: options.startWorker ?? (() => threadRuntime.startWorker(proverLocations.worker)),
    workerModule: options.startWorker ? undefined : proverLocations.worker,
    discardResult: (result) => typedArraysIn(result).forEach((bytes) => bytes.fill(0)),
  });
}

function toIntegerInput(value: number, name: string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new Problem("invalid_request", `input ${name} is not an integer`);
}
