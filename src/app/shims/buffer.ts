/** Provides Node's `Buffer`, which `@ton/core` expects as a global, in the page's bundle. */
export { Buffer } from "buffer";
