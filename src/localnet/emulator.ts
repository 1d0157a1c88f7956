/** Loads TON's transaction emulator from @ton/sandbox. It takes 10 MB, so it is loaded only when a localnet starts. */
import type { Executor } from "./sandbox_executor.ts";

export type { Executor };

export async function loadEmulator(): Promise<Executor> {
  // Emscripten's loader reads __dirname although it receives the WebAssembly bytes. A bundle does not define it.
  const scope = globalThis as { __dirname?: string };
  scope.__dirname ??= import.meta.dirname ?? "/";
  const { Executor } = await import("./sandbox_executor.ts");
  return await Executor.create();
}
