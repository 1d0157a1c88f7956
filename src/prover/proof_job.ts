import { Problem } from "../core/errors/problem.ts";
import type { AnyCircuitName, ProofWithSignals } from "../core/crypto/groth16.ts";
import { abortable, cancelled, runAllOrCancel } from "../core/time/deadline.ts";
import type { WorkerPool } from "../threads/worker_pool.ts";
import type { CircuitFiles } from "./circuit_files.ts";
import { extractPublicSignals, proofFromBytes, signalsToBytes } from "./groth16_bytes.ts";
import { joinMsmShares, planMsmShares } from "./msm_shares.ts";
import type { MsmResults, ProverTask, ProverTaskResults } from "./prover_task.ts";
import type { CircuitInputs } from "./witness.ts";

/** Progress of a proof; `fraction` rises from 0 to 1. */
export interface ProofProgress {
  readonly stage: "loading" | "witness" | "proving" | "done";
  readonly fraction: number;
}

/** Cancels a proof, or reports its progress. */
export interface ProveOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ProofProgress) => void;
}

export interface CircuitVkey {
  readonly circuit: AnyCircuitName;
  readonly bytes: Uint8Array;
  readonly publicSignalCount: number;
}

export type ProverPool = WorkerPool<ProverTask, ProverTaskResults>;

const STAGE_WEIGHTS_PERCENT = {
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

export async function prove(
  pool: ProverPool,
  vkey: CircuitVkey,
  loadFiles: () => Promise<CircuitFiles>,
  inputs: CircuitInputs,
  { signal, onProgress }: ProveOptions,
): Promise<ProofWithSignals> {
  const { circuit, publicSignalCount } = vkey;
  const report = createProgressReporter(onProgress);
  report("loading");
  if (signal?.aborted) throw cancelled(signal);
  const { witnessProgram: program, provingKey } = await abortable(loadFiles(), signal);
  report("witness", "loading");
  const witness = await pool.run({ kind: "witness", program, inputs }, { signal });
  const points: Uint8Array[] = [];
  let msmResults: MsmResults;
  try {
    report("proving", "witness");
    const shares = planMsmShares(pool.availableWorkers);
    await runAllOrCancel(
      [...shares.entries()],
      async ([i, share], signal) => {
        const keyPart = provingKey[share.msm];
        points[i] = await pool.run({ kind: "msm", keyPart, witness, share }, { signal });
        report("proving", share.msm, share.partCount);
      },
      signal,
    );
    msmResults = joinMsmShares(shares, points);
  } finally {
    // Wipe the secrets, also after a failure. The public signals at the start are still needed.
    witness.fill(0, (publicSignalCount + 1) * 32);
    points.forEach((point) => point.fill(0));
  }
  const bytes = await pool.run({ kind: "assemble", keyPart: provingKey.joint, msmResults }, { signal })
    .finally(() => Object.values(msmResults).forEach((points) => points.fill(0)));
  report("proving", "assemble");
  const publicSignals = extractPublicSignals(witness, publicSignalCount);
  if (!await verifyBytes(pool, vkey, bytes, signalsToBytes(publicSignals), signal)) {
    throw new Problem("internal", `the ${circuit} proof just made does not verify`);
  }
  report("done", "verify");
  return { proof: proofFromBytes(bytes), publicSignals };
}

export async function verifyBytes(
  pool: ProverPool,
  { circuit, bytes: vkey }: CircuitVkey,
  proof: Uint8Array,
  signals: Uint8Array,
  signal?: AbortSignal,
): Promise<boolean> {
  return await pool.run({ kind: "verify", circuit, vkey, proof, signals }, { signal, highPriority: true });
}

function createProgressReporter(onProgress?: (progress: ProofProgress) => void) {
  let percent = 0;
  return (stage: ProofProgress["stage"], finished?: keyof typeof STAGE_WEIGHTS_PERCENT, partCount = 1) => {
    if (finished !== undefined) percent += STAGE_WEIGHTS_PERCENT[finished] / partCount;
    onProgress?.({ stage, fraction: percent / 100 });
  };
}
