/**
 * Proofs and their verification on worker threads: the calling thread only reads files and waits. Keys are loaded at
 * the first proof; verification needs none of them. Every proof is verified before it is handed out.
 */
import { Problem } from "../core/errors.ts";
import { type CircuitName, circuits, type Groth16Proof, type ProofWithSignals } from "../core/groth16.ts";
import { parseProof } from "../core/proof_codec.ts";
import { threads } from "../threads/threads.ts";
import { WorkerPool } from "../threads/worker_pool.ts";
import { type Artifacts, openArtifacts } from "./artifacts.ts";
import {
  proofFromBytes,
  proofToBytes,
  signalsOfWitness,
  signalsToBytes,
  type VerificationKey,
  verificationKeyToBytes,
} from "./groth16_bytes.ts";
import { locations } from "./locations.ts";
import { joined, spread } from "./proof_shares.ts";
import type { WitnessInputs } from "./witness.ts";
import {
  arraysOf,
  excerptNames,
  type KeyExcerpts,
  type Pieces,
  type TaskResults,
  type WorkerTask,
} from "./worker_task.ts";

/** Inputs of a withdrawal's circuit, all canonical field elements; the paths have 20 entries. */
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
  /** 0 or 1: on which side the path runs. */
  readonly pathIndices: readonly number[];
}

/** Inputs of a deposit's circuit; the path has 20 entries. */
export interface DepositInput {
  readonly prevRoot: bigint;
  readonly newRoot: bigint;
  readonly commitment: bigint;
  readonly leafIndex: number;
  readonly pathElements: readonly bigint[];
}

/** How far a proof is. `fraction` goes from 0 to 1 and never back. */
export interface Progress {
  readonly stage: "loading" | "witness" | "proving" | "done";
  readonly fraction: number;
}

/** Cancellation and progress of one proof. */
export interface ProveOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Makes and verifies proofs. */
export interface Prover {
  /**
   * Proves a withdrawal.
   *
   * @throws {Problem} `unsatisfied`, `not_in_field` or `invalid_request` for wrong inputs; `artifact_corrupted` naming
   *   the file, `artifact_unavailable` with its URL; `cancelled` when the signal is aborted
   */
  proveWithdraw(input: WithdrawInput, options?: ProveOptions): Promise<ProofWithSignals>;
  /** Proves a deposit; throws as `proveWithdraw`. */
  proveDeposit(input: DepositInput, options?: ProveOptions): Promise<ProofWithSignals>;
  /**
   * Whether a proof holds. Malformed proofs and signals are `false`, whatever is wrong with them.
   *
   * @throws {Problem} `cancelled` when the signal is aborted, `verification_busy` when too many wait
   */
  verify(
    circuit: CircuitName,
    proof: Groth16Proof,
    publicSignals: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /** SHA-256 in hex of each circuit's verification key file. */
  readonly vkeyHash: Readonly<Record<CircuitName, string>>;
  /** What kind of keys these are, to be shown: `development keys, insecure`. */
  readonly label: string;
  /** Ends the workers; what runs is refused with `cancelled`. */
  close(): void;
}

/** What a prover is made of. */
export interface ProverOptions {
  /** Most worker threads; by default one for each core, at most 4; 7 is the most that one proof uses. */
  readonly workers?: number;
  readonly artifacts?: Artifacts;
  /** Most tasks that wait for a worker, 1,024 by default. */
  readonly maxWaiting?: number;
  /** Ends workers that had no work for so long; by default they live until `close`. */
  readonly idleMs?: number;
  /** Ends a worker that goes on with a cancelled task for longer, 1,000 ms by default. */
  readonly cancelMs?: number;
  readonly startWorker?: () => Worker;
}

/** One circuit's files in the form that the workers take. */
interface ProvingFiles {
  readonly program: ArrayBufferLike;
  readonly key: KeyExcerpts;
}

/**
 * By default: a worker that has proved for both circuits holds 50 MB. On four, a proof's sums take a third of the time
 * that they take on one. See docs/performance.md for what more would gain.
 */
const MAX_WORKERS = 4;
const MAX_WAITING = 1024;
/** About what a new worker needs, after the one of a cancelled task was ended, until it is as fast again. */
const CANCEL_MS = 1000;

/** Shares of the time a proof takes, in hundredths. Together with what is done at its time they make 100. */
const SHARES = {
  loading: 2,
  witness: 8,
  b2: 24,
  h: 26,
  a: 14,
  c: 14,
  b1: 10,
  assemble: 1,
  verify: 1,
} as const;

/**
 * Makes a prover. Reads and checks the verification keys; proving keys are read at the first proof.
 *
 * @throws {Problem} `artifact_corrupted` naming the verification key, `artifact_unavailable` with its URL
 */
export async function createProver(options: ProverOptions = {}): Promise<Prover> {
  const artifacts = options.artifacts ?? openArtifacts();
  const vkeys = await perCircuit(async (circuit) => {
    const json = new TextDecoder().decode(await artifacts.load(`${circuit}.vkey.json`));
    const key: VerificationKey = JSON.parse(json);
    return { bytes: verificationKeyToBytes(key), publicSignals: key.nPublic };
  });
  const pool = new WorkerPool<WorkerTask, TaskResults>({
    name: "prover",
    size: options.workers ?? Math.min(MAX_WORKERS, threads.cores()),
    maxWaiting: options.maxWaiting ?? MAX_WAITING,
    idleMs: options.idleMs,
    cancelMs: options.cancelMs ?? CANCEL_MS,
    startWorker: options.startWorker ?? (() => threads.start(locations.worker)),
    module: options.startWorker ? undefined : locations.worker,
    discard: (result) => arraysOf(result as TaskResults[keyof TaskResults]).forEach((bytes) => bytes.fill(0)),
  });

  const files = new Map<CircuitName, Promise<ProvingFiles>>();
  const provingFiles = (circuit: CircuitName): Promise<ProvingFiles> => {
    const known = files.get(circuit);
    if (known !== undefined) return known;
    const loading = loadProvingFiles(artifacts, circuit, (zkey) => pool.run({ kind: "parse", zkey }));
    files.set(circuit, loading);
    loading.catch(() => files.delete(circuit)); // a file that is restored works without a restart
    return loading;
  };

  const verifyBytes = (
    circuit: CircuitName,
    proof: Uint8Array,
    signals: Uint8Array,
    signal?: AbortSignal,
  ) =>
    pool.run({ kind: "verify", circuit, vkey: vkeys[circuit].bytes, proof, signals }, {
      signal,
      urgent: true,
    });

  async function prove(
    circuit: CircuitName,
    inputs: WitnessInputs,
    { signal, onProgress }: ProveOptions,
  ): Promise<ProofWithSignals> {
    const report = progressReporter(onProgress);
    report("loading");
    const { program, key } = await unlessAborted(() => provingFiles(circuit), signal);
    report("witness", "loading");
    const witness = await pool.run({ kind: "witness", program, inputs }, { signal });
    const points: Uint8Array[] = [];
    let pieces: Pieces;
    try {
      report("proving", "witness");
      const shares = spread(pool.free);
      await allOrCancel(
        [...shares.entries()],
        async ([i, share], signal) => {
          const excerpt = key[share.piece];
          points[i] = await pool.run({ kind: "piece", excerpt, witness, share }, { signal });
          report("proving", share.piece, share.parts);
        },
        signal,
      );
      pieces = joined(shares, points);
    } finally {
      // the secrets are not needed any more, whatever happened
      witness.fill(0, (vkeys[circuit].publicSignals + 1) * 32);
      points.forEach((point) => point.fill(0));
    }
    const proof = await pool.run({ kind: "assemble", excerpt: key.joint, pieces }, { signal })
      .finally(() => Object.values(pieces).forEach((points) => points.fill(0)));
    report("proving", "assemble");
    const publicSignals = signalsOfWitness(witness, vkeys[circuit].publicSignals);
    if (!await verifyBytes(circuit, proof, signalsToBytes(publicSignals), signal)) {
      throw new Problem("internal", `the ${circuit} proof just made does not verify`);
    }
    report("done", "verify");
    return { proof: proofFromBytes(proof), publicSignals };
  }

  return {
    label: artifacts.label,
    vkeyHash: { withdraw: artifacts.pin("withdraw.vkey.json"), deposit: artifacts.pin("deposit.vkey.json") },
    async proveWithdraw(input, options = {}) {
      const pathIndices = input.pathIndices.map((bit) => integer(bit, "pathIndices"));
      return await prove("withdraw", { ...input, pathIndices }, options);
    },
    async proveDeposit(input, options = {}) {
      return await prove("deposit", { ...input, leafIndex: integer(input.leafIndex, "leafIndex") }, options);
    },
    async verify(circuit, proof, publicSignals, { signal } = {}) {
      // The count comes first: hostile lists may be long.
      if (!Array.isArray(publicSignals) || publicSignals.length !== vkeys[circuit].publicSignals) {
        return false;
      }
      let bytes: [Uint8Array, Uint8Array];
      try {
        bytes = [proofToBytes(parseProof(proof)), signalsToBytes(publicSignals)];
      } catch (error) {
        if (error instanceof Problem) return false;
        throw error;
      }
      return await verifyBytes(circuit, ...bytes, signal);
    },
    close: () => pool.close(),
  };
}

async function perCircuit<T>(make: (circuit: CircuitName) => Promise<T>): Promise<Record<CircuitName, T>> {
  const entries = await Promise.all(circuits.map(async (circuit) => [circuit, await make(circuit)] as const));
  return Object.fromEntries(entries) as Record<CircuitName, T>;
}

async function loadProvingFiles(
  artifacts: Artifacts,
  circuit: CircuitName,
  parse: (zkey: Uint8Array) => Promise<KeyExcerpts<Uint8Array>>,
): Promise<ProvingFiles> {
  const [program, zkey] = await Promise.all([
    artifacts.load(`${circuit}.wasm`),
    artifacts.load(`${circuit}.zkey`),
  ]);
  const parsed = await parse(zkey);
  const excerpts = excerptNames.map((name) => [name, share(parsed[name])] as const);
  return { program: share(program), key: Object.fromEntries(excerpts) as unknown as KeyExcerpts };
}

function integer(value: number, what: string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new Problem("invalid_request", `input ${what} is not an integer`);
}

/** Where pages are not isolated from other origins there is no shared memory: workers get copies then. */
function share(bytes: Uint8Array): ArrayBufferLike {
  if (typeof SharedArrayBuffer === "undefined") return bytes.slice().buffer;
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** Waits for the work, which itself goes on, until the signal is aborted; does not begin it if it already is. */
async function unlessAborted<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal?.aborted) throw new Problem("cancelled");
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Problem("cancelled"));
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Runs all; when one fails, the others are cancelled and its error is thrown. */
async function allOrCancel<T>(
  items: readonly T[],
  run: (item: T, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  try {
    await Promise.all(items.map((item) => run(item, either)));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

function progressReporter(onProgress?: (progress: Progress) => void) {
  let hundredths = 0;
  return (stage: Progress["stage"], finished?: keyof typeof SHARES, parts = 1) => {
    if (finished !== undefined) hundredths += SHARES[finished] / parts;
    onProgress?.({ stage, fraction: hundredths / 100 });
  };
}
