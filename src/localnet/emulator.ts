/**
 * Loads TON's own transaction emulator, as @ton/sandbox packs it. The only place that knows how: it is loaded when a
 * localnet starts and not before, because it takes 10 MB.
 */
import type { Executor } from "./executor.ts";

export type { Executor };

/** Starts an emulator; one is enough for a whole chain. */
export async function loadEmulator(): Promise<Executor> {
  // Emscripten's loader asks for __dirname even though the WASM is handed to it; in a bundle nobody else defines it.
  const scope = globalThis as { __dirname?: string };
  scope.__dirname ??= import.meta.dirname ?? "/";
  const { Executor } = await import("./executor.ts");
  return await Executor.create();
}
