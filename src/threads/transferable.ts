/** Memory of `arrays` that can be handed over to another thread, which leaves none of it here. */
export function transferable(arrays: readonly ArrayBufferView[]): ArrayBuffer[] {
  return arrays.flatMap(({ buffer }) => buffer instanceof ArrayBuffer ? [buffer] : []);
}
