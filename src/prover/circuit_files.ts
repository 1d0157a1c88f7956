import type { AnyCircuitName } from "../core/crypto/groth16.ts";
import type { Artifacts } from "./artifacts.ts";
import { provingKeyPartNames, type ProvingKeyParts } from "./prover_task.ts";

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
  const [program, zkey] = await Promise.all([
    artifacts.load(`${circuit}.wasm`),
    artifacts.load(`${circuit}.zkey`),
  ]);
  const parsed = await parseKey(zkey);
  const parts = provingKeyPartNames.map((name) => [name, toSharedBuffer(parsed[name])] as const);
  return {
    witnessProgram: toSharedBuffer(program),
    provingKey: Object.fromEntries(parts) as unknown as ProvingKeyParts,
  };
}

/** A page that is not cross-origin isolated has no shared memory: its workers get copies. */
function toSharedBuffer(bytes: Uint8Array): ArrayBufferLike {
  if (typeof SharedArrayBuffer === "undefined") return bytes.slice().buffer;
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}
