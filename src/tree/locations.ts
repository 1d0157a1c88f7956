/** Not inline: a bundler would resolve the URL below against the npm package's code. */
const MODULE_URL = import.meta.url;

/** A bundle that moves the worker module assigns its new URL before it creates a tree. */
export const treeLocations: { worker: URL } = { worker: new URL("./tree_worker.ts", MODULE_URL) };
