import { readRegistry } from "../../config/deployments_registry.ts";
import { allCircuitNames } from "../../core/crypto/groth16.ts";
import { networks } from "../../core/protocol/network.ts";
import { openArtifacts } from "../../prover/artifacts.ts";
import { loadPoolCode } from "../../ton/pool/state_init.ts";
import type { RuntimeInfo } from "../context.ts";

export async function describeBuild(
  { deno, v8, target, compiled }: RuntimeInfo,
): Promise<[string, string][]> {
  const { label, expectedSha256: pin } = openArtifacts();
  const released = networks.filter((network) => network !== "localnet");
  const pools = await Promise.all(
    released.map(async (network) => `${(await readRegistry(network)).pools.size} on ${network}`),
  );
  return [
    ["runtime", `Deno ${deno}, V8 ${v8}, ${compiled ? "embedded" : "from sources"}`],
    ["target", target],
    ...(compiled ? systemRequirements(target) : []),
    ["writes", "serve: RELAYER_DATA_DIR; deposit, withdraw, note: the note store; deploy: the registry"],
    ["asks", "a toncenter v2 endpoint; serve also PostgreSQL and Redis where they are configured"],
    ["keys", label],
    ...allCircuitNames.map((circuit): [string, string] => [`  ${circuit}`, pin(`${circuit}.vkey.json`)]),
    ["contracts", "code hashes of the pools"],
    ...(["native", "jetton", "native2"] as const).map((
      kind,
    ): [string, string] => [`  ${kind}`, loadPoolCode(kind).codeHash]),
    ["pools", pools.join(", ")],
  ];
}

export function formatVersion(
  version: string,
  facts: readonly (readonly [string, string])[] | undefined,
  { json }: { readonly json: boolean },
): string {
  const named = (facts ?? []).map(([name, fact]) => [name.trim(), fact]);
  if (json) return JSON.stringify({ version, ...Object.fromEntries(named) });
  if (!facts) return version;
  return [`tonado ${version}`, ...facts.map(([name, fact]) => `${name.padEnd(12)}${fact}`)].join("\n");
}

/** Returns what the runtime needs, as its symbol versions and NEEDED entries say. */
function systemRequirements(target: string): [string, string][] {
  return target.endsWith("linux-gnu") ? [["needs", "glibc 2.27 or newer, libgcc_s; no other file"]] : [];
}
