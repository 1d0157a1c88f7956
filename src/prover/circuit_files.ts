import type { AnyCircuitName } from "../core/crypto/groth16.ts";
import type { Artifacts } from "./artifacts.ts";
import { runAllOrCancel } from "../core/time/deadline.ts";
import { provingKeyPartNames, type ProvingKeyParts } from "./prover_task.ts";
import { toShared } from "../threads/shared_memory.ts";

export interface CircuitFiles {
  readonly witnessProgram: ArrayBufferLike;
  readonly provingKey: ProvingKeyParts;
}

export function circuitFilesLoader(
  artifacts: Artifacts,
  parseKey: (zkey: Uint8Array) => Promise<ProvingKeyParts<Uint8Array>>,
): (circuit: AnyCircuitName) => Promise<CircuitFiles> {
  const files = new Map<AnyCircuitName, Promise<CircuitFiles>>();
  return (circuit) => {
    const known = files.get(circuit);
    if (known !== undefined) return known;
    const loading = loadCircuitFiles(artifacts, circuit, parseKey);
    files.set(circuit, loading);
    loading.catch(() => files.delete(circuit)); // a restored file works without a restart
    return loading;
  };
}

async function loadCircuitFiles(
  artifacts: Artifacts,
  circuit: AnyCircuitName,
  parseKey: (zkey: Uint8Array) => Promise<ProvingKeyParts<Uint8Array>>,
): Promise<CircuitFiles> {
  const [program, zkey] = await runAllOrCancel(
    ["wasm", "zkey"] as const,
    (kind, signal) => artifacts.load(`${circuit}.${kind}`, { signal }),
  );
  const parsed = await parseKey(zkey);
  const parts = provingKeyPartNames.map((name) => [name, parsed[name].buffer] as const);
  return {
    witnessProgram: toShared(program).buffer,
    provingKey: Object.fromEntries(parts) as unknown as ProvingKeyParts,
  };
}
