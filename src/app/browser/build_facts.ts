/** Facts that the build passes to the page: the hashed names of files, and the sizes of files that proofs need. */
export interface BuildFacts {
  readonly workers: { readonly prover: string; readonly tree: string; readonly vault: string };
  readonly artifacts: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** esbuild replaces this name with the object. */
declare const TONADO_BUILD: BuildFacts | undefined;

/** Empty outside a build: tests import the adapters directly. */
export const buildFacts: BuildFacts = typeof TONADO_BUILD === "undefined" || TONADO_BUILD === undefined
  ? { workers: { prover: "", tree: "", vault: "" }, artifacts: {} }
  : TONADO_BUILD;
