/** Not written inline: bundlers would look for the file below beside the npm package's code, where it is not. */
const here = import.meta.url;

/** Where this folder's worker module lies. Whoever bundles the program elsewhere assigns to it before the first tree. */
export const locations: { worker: URL } = { worker: new URL("./tree_worker.ts", here) };
