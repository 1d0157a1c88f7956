/**
 * Where this folder's worker module and the artifacts lie. The one place to change when they are moved: whoever bundles
 * the program assigns to it before the first prover is made.
 */
export const locations: { worker: URL; artifacts: URL; artifactSuffix: string } = {
  worker: new URL("./worker.ts", import.meta.url),
  artifacts: new URL("../../artifacts/", import.meta.url),
  /** Comes after an artifact's name in its file's name: `deno compile` would take an embedded `.wasm` for a module. */
  artifactSuffix: "",
};
