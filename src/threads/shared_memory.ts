/** Returns a copy that all threads read. A page that is not cross-origin isolated has no shared memory: its workers get copies. */
export function toShared(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer === "undefined") return bytes.slice();
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
