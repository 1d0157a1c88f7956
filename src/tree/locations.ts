/** Where this folder's worker module lies. Whoever bundles the program elsewhere assigns to it before the first tree. */
export const locations: { worker: URL } = { worker: new URL("./tree_worker.ts", import.meta.url) };
