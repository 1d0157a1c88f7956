/** Where this folder's worker module lies: whoever bundles the program assigns to it before arithmetic is first opened. */
export const locations: { worker: URL } = { worker: new URL("./worker.ts", import.meta.url) };
