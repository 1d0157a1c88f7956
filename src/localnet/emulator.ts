/** Loads TON's transaction emulator from @ton/sandbox: 10 MB, so only when a localnet starts. */
import type { Executor } from "./sandbox_executor.ts";

export type { Executor };

export async function loadEmulator(): Promise<Executor> {
  // Emscripten's loader reads __dirname even if it gets the WebAssembly bytes; a bundle does not define it.
  const scope = globalThis as { __dirname?: string };
  scope.__dirname ??= import.meta.dirname ?? "/";
  const { Executor } = await import("./sandbox_executor.ts");
  return await Executor.create();
}
