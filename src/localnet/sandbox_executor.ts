/** Re-exports the emulator: in a split bundle, a CommonJS module has only a default export. */
export { Executor } from "@ton/sandbox/dist/executor/Executor.js";
