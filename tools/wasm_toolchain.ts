/**
 * The compiler from Rust to WebAssembly, one of
 * - rustup's with the target (`rustup target add wasm32-unknown-unknown`);
 * - Debian's `rustc-web`, `rust-web-src` and `lld`, where rustup cannot add targets. Their standard library is built
 *   along (`-Zbuild-std`); wasm-pack only asks for the folder /usr/lib/rustlib/wasm32-unknown-unknown/lib to exist.
 */

export const TARGET = "wasm32-unknown-unknown";

const home = Deno.env.get("HOME") ?? "";
export const cargoHome = Deno.env.get("CARGO_HOME") ?? `${home}/.cargo`;

/** How the compiler is called: environment, and arguments to cargo. */
export interface Toolchain {
  readonly env: Readonly<Record<string, string>>;
  readonly cargoArgs: readonly string[];
}

/** rustup's where it has the target, else Debian's. */
export async function findToolchain(): Promise<Toolchain> {
  const path = `${Deno.env.get("PATH")}:${cargoHome}/bin`;
  const installed = await output("rustup", ["target", "list", "--installed"], { PATH: path }).catch(() => "");
  if (installed.split("\n").includes(TARGET)) return { env: { PATH: path }, cargoArgs: [] };
  return {
    env: {
      PATH: `/usr/bin:${path}`,
      RUSTC: "/usr/bin/rustc",
      CARGO: "/usr/bin/cargo",
      RUSTC_BOOTSTRAP: "1", // -Z flags on a stable compiler
    },
    cargoArgs: ["-Zbuild-std=std,panic_abort"],
  };
}

/** What a command prints; throws when it fails. */
export async function output(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout, success } = await new Deno.Command(command, { args: [...args], env, stderr: "null" })
    .output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout);
}
