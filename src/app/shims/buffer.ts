/** Gives the bundle of the page Node's `Buffer`, which `@ton/core` expects as a global. */
export { Buffer } from "buffer";
