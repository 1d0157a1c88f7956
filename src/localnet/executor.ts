/** The emulator's module under a name of its own: a bundle cut in pieces gives CommonJS only a default export. */
export { Executor } from "@ton/sandbox/dist/executor/Executor.js";
