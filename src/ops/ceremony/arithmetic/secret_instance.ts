// Computes with a secret in its own WebAssembly instance, whose memory is zeroed afterwards: the compiler
// leaves copies on the stack. The generated glue shares one instance, so this calls its exports directly.
import type { InitOutput } from "../../../../ceremony-wasm/pkg/ceremony_wasm.js";

/** Points are encoded as in files. */
export interface SecretArithmetic {
  /** Returns s and x s. */
  opening(): Uint8Array;
  /** Returns x times the challenge's point of G2. */
  answer(challenge: Uint8Array): Uint8Array;
  timesG1(point: Uint8Array): Uint8Array;
  timesG2(point: Uint8Array): Uint8Array;
  /** Returns points of G1 over x. */
  divide(points: Uint8Array): Uint8Array;
}

type BytesOrError = readonly [pointer: number, length: number, error: number, failed: number];

/** The caller overwrites `seed`. Throws an Error for malformed arguments. */
export function withSecretInstance<T>(
  module: WebAssembly.Module,
  seed: Uint8Array,
  use: (secret: SecretArithmetic) => T,
): T {
  const wasm = instantiate(module);
  try {
    return use(openSecret(wasm, seed));
  } finally {
    new Uint8Array(wasm.memory.buffer).fill(0);
  }
}

function instantiate(module: WebAssembly.Module): InitOutput {
  const text = (pointer: number, length: number) =>
    new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, pointer >>> 0, length));
  /** Each is found by the start of its name, which ends in a hash. */
  const implementations: Record<string, (...args: never[]) => unknown> = {
    __wbg_Error_: (pointer: number, length: number) => new Error(text(pointer, length)),
    __wbg___wbindgen_throw_: (pointer: number, length: number) => {
      throw new Error(text(pointer, length));
    },
    // Only errors are passed through the table here.
    __wbindgen_init_externref_table: () => void wasm.__wbindgen_externrefs.grow(4),
  };
  const imports: Record<string, Record<string, (...args: never[]) => unknown>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const known = Object.keys(implementations).find((prefix) => name.startsWith(prefix));
    if (known !== undefined) (imports[from] ??= {})[name] = implementations[known];
  }
  const wasm = new WebAssembly.Instance(module, imports).exports as unknown as InitOutput;
  wasm.__wbindgen_start();
  return wasm;
}

function openSecret(wasm: InitOutput, seed: Uint8Array): SecretArithmetic {
  const copyIn = (bytes: Uint8Array): [pointer: number, length: number] => {
    const pointer = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
    new Uint8Array(wasm.memory.buffer).set(bytes, pointer);
    return [pointer, bytes.length];
  };
  const copyOut = ([pointer, length, error, failed]: BytesOrError) => {
    if (failed) throw wasm.__wbindgen_externrefs.get(error);
    return new Uint8Array(wasm.memory.buffer, pointer >>> 0, length).slice();
  };
  const [secret, error, failed] = wasm.secret_new(...copyIn(seed));
  if (failed) throw wasm.__wbindgen_externrefs.get(error);
  return {
    opening: () => copyOut([...wasm.secret_opening(secret), 0, 0]),
    answer: (challenge) => copyOut(wasm.secret_answer(secret, ...copyIn(challenge))),
    timesG1: (point) => copyOut(wasm.secret_timesG1(secret, ...copyIn(point))),
    timesG2: (point) => copyOut(wasm.secret_timesG2(secret, ...copyIn(point))),
    divide: (points) => copyOut(wasm.secret_divide(secret, ...copyIn(points))),
  };
}
