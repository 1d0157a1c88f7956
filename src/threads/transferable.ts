export function typedArraysIn(value: unknown): (Uint8Array | Uint32Array)[] {
  if (value instanceof Uint8Array || value instanceof Uint32Array) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(typedArraysIn) : [];
}

/** Returns the memory in `value` that can move to another thread; shared memory does not move. */
export function transferableBuffers(value: unknown): ArrayBuffer[] {
  return typedArraysIn(value).flatMap(({ buffer }) => buffer instanceof ArrayBuffer ? [buffer] : []);
}
