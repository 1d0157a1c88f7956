/** `tonado --version --verbose`: what this build runs on, what it needs, and which keys, contracts and pools it carries. */
import { readRegistry } from "../config/registry.ts";
import { circuits } from "../core/groth16.ts";
import { networks } from "../core/network.ts";
import { openArtifacts } from "../prover/artifacts.ts";
import { loadPoolCode } from "../ton/pool_state.ts";
import type { Runtime } from "./wiring.ts";

/** Names and facts, in the order in which they are told; those of a group are indented. */
export async function about({ deno, v8, target, compiled }: Runtime): Promise<[string, string][]> {
  const { label, pin } = openArtifacts();
  const released = networks.filter((network) => network !== "localnet");
  const pools = await Promise.all(
    released.map(async (network) => `${(await readRegistry(network)).pools.size} on ${network}`),
  );
  return [
    ["runtime", `Deno ${deno}, V8 ${v8}, ${compiled ? "embedded" : "from sources"}`],
    ["target", target],
    ...(compiled ? needs(target) : []),
    ["writes", "serve: RELAYER_DATA_DIR; deposit, withdraw, note: the note store; deploy: the registry"],
    ["asks", "a toncenter v2 endpoint; serve also PostgreSQL and Redis where they are configured"],
    ["keys", label],
    ...circuits.map((circuit): [string, string] => [`  ${circuit}`, pin(`${circuit}.vkey.json`)]),
    ["contracts", "code hashes of the pools"],
    ...(["native", "jetton"] as const).map((
      kind,
    ): [string, string] => [`  ${kind}`, loadPoolCode(kind).codeHash]),
    ["pools", pools.join(", ")],
  ];
}

/** What `--version` prints. @param facts those of {@linkcode about}, or none */
export function versionText(
  version: string,
  facts: readonly (readonly [string, string])[] | undefined,
  { json }: { readonly json: boolean },
): string {
  const named = (facts ?? []).map(([name, fact]) => [name.trim(), fact]);
  if (json) return JSON.stringify({ version, ...Object.fromEntries(named) });
  if (!facts) return version;
  return [`tonado ${version}`, ...facts.map(([name, fact]) => `${name.padEnd(12)}${fact}`)].join("\n");
}

/** Of the system. The runtime's own: the symbol versions that denort asks for, and its NEEDED entries. */
function needs(target: string): [string, string][] {
  return target.endsWith("linux-gnu") ? [["needs", "glibc 2.27 or newer, libgcc_s; no other file"]] : [];
}
