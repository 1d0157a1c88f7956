/**
 * Finds a compiler from Rust to WebAssembly:
 * - rustup's, with the target installed (`rustup target add wasm32-unknown-unknown`);
 * - otherwise Debian's `rustc-web`, `rust-web-src` and `lld`. Their standard library is built with the crate
 * (`-Zbuild-std`).
 */

import { commandOutput } from "../shared/command.ts";

export const TARGET = "wasm32-unknown-unknown";

const home = Deno.env.get("HOME") ?? "";
export const cargoHome = Deno.env.get("CARGO_HOME") ?? `${home}/.cargo`;

/** The environment and the cargo arguments of a compiler. */
interface Toolchain {
  readonly env: Readonly<Record<string, string>>;
  readonly cargoArgs: readonly string[];
}

/** Returns rustup's compiler if it has the target, else Debian's. */
export async function findToolchain(): Promise<Toolchain> {
  const path = `${Deno.env.get("PATH")}:${cargoHome}/bin`;
  const installed = await commandOutput("rustup", ["target", "list", "--installed"], { env: { PATH: path } })
    .catch(() => "");
  if (installed.split("\n").includes(TARGET)) return { env: { PATH: path }, cargoArgs: [] };
  return {
    env: {
      PATH: `/usr/bin:${path}`,
      RUSTC: "/usr/bin/rustc",
      CARGO: "/usr/bin/cargo",
      RUSTC_BOOTSTRAP: "1", // allows -Z flags on a stable compiler
    },
    cargoArgs: ["-Zbuild-std=std,panic_abort"],
  };
}
