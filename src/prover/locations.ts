/**
 * Where this folder's worker module and the artifacts lie, and how they are read. The one place to change when they are
 * moved: whoever bundles the program assigns to it before the first prover is made.
 */
export const locations: {
  worker: URL;
  artifacts: URL;
  /** Reads an artifact's file; throws whatever it likes when it cannot. */
  read: (file: URL) => Promise<Uint8Array<ArrayBuffer>>;
} = {
  worker: new URL("./worker.ts", import.meta.url),
  artifacts: new URL("../../artifacts/", import.meta.url),
  async read(file) {
    if (file.protocol === "file:") return await Deno.readFile(file);
    const response = await fetch(file);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  },
};
