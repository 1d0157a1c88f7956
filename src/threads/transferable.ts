/** Returns the typed arrays in `value`, which may be one, or nest them in arrays and plain objects. */
export function typedArraysIn(value: unknown): (Uint8Array | Uint32Array)[] {
  if (value instanceof Uint8Array || value instanceof Uint32Array) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(typedArraysIn) : [];
}

/** Returns the memory of the arrays in `value` that can move to another thread. Shared memory is not moved. */
export function transferableBuffers(value: unknown): ArrayBuffer[] {
  return typedArraysIn(value).flatMap(({ buffer }) => buffer instanceof ArrayBuffer ? [buffer] : []);
}
