/** Where the deployments registry is read from. What it means is core's. */
import { type Deployments, parseDeployments } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";

/**
 * Reads the registry of a network.
 *
 * @param path a file; undefined: `deployments/<network>.json` of this release
 * @throws {Problem} `invalid_registry`, naming the file, when it cannot be read, is malformed or is of another network
 */
export async function readRegistry(network: Network, path?: string): Promise<Deployments> {
  const file = path ?? new URL(`../../deployments/${network}.json`, import.meta.url);
  let registry: Deployments;
  try {
    registry = parseDeployments(JSON.parse(await Deno.readTextFile(file)));
  } catch (cause) {
    const detail = cause instanceof Problem
      ? cause.message
      : cause instanceof SyntaxError
      ? "it is not JSON"
      : "it cannot be read";
    const errors = cause instanceof Problem ? cause.errors : [];
    throw new Problem("invalid_registry", `registry ${file}: ${detail}`, { errors, cause });
  }
  if (registry.network !== network) {
    throw new Problem("invalid_registry", `registry ${file} is of ${registry.network}, not of ${network}`);
  }
  return registry;
}
