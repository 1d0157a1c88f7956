/** Where the deployments registry is read from and written to. What it means is core's. */
import {
  type Deployment,
  type Deployments,
  formatDeployments,
  parseDeployments,
  poolKey,
} from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { LARGEST_REGISTRY, readWhole, readWholeText, reasonUnread } from "./whole_file.ts";

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
    registry = parseDeployments(JSON.parse(await Promise.resolve(readWholeText(file, LARGEST_REGISTRY))));
  } catch (cause) {
    const detail = cause instanceof Problem
      ? cause.message
      : cause instanceof SyntaxError
      ? "it is not JSON"
      : `it cannot be read${reasonUnread(cause)}`;
    const errors = cause instanceof Problem ? cause.errors : [];
    throw new Problem("invalid_registry", `registry ${file}: ${detail}`, { errors, cause });
  }
  if (registry.network !== network) {
    throw new Problem("invalid_registry", `registry ${file} is of ${registry.network}, not of ${network}`);
  }
  return registry;
}

/** Where a deployer keeps the registry of a network: in the directory that it works in. */
export function workingRegistry(network: Network): string {
  return `deployments/${network}.json`;
}

/**
 * Reads a registry that may not be there yet: then it has no pools. Throws as {@linkcode readRegistry} does for one that
 * is there.
 */
export async function readRegistryIfAny(network: Network, path: string): Promise<Deployments> {
  if (!await exists(path)) return { network, pools: new Map() };
  return await readRegistry(network, path);
}

/**
 * The registry to look a pool up in: the file that is named, else the one that comes with the release. No release has one
 * of a localnet: there it is the working one, which may be missing. Elsewhere a file that merely lies in the current
 * directory names no pool that money goes to.
 *
 * @throws {Problem} `invalid_registry`
 */
export async function findRegistry(network: Network, path?: string): Promise<Deployments> {
  if (path !== undefined) return await readRegistry(network, path);
  if (network === "localnet") return await readRegistryIfAny(network, workingRegistry(network));
  return await readRegistry(network);
}

/** What people call the registry that {@linkcode findRegistry} finds. */
export function registryName(network: Network, path?: string): string {
  if (path !== undefined) return path;
  return network === "localnet" ? workingRegistry(network) : "this release's registry";
}

/**
 * Fails where {@linkcode addToRegistry} would, so that no money moves for a pool that cannot be written down: a registry
 * that is there is written again as it is.
 *
 * @throws {Problem} `cannot_write`; `invalid_registry` when what is there cannot be read
 */
export async function assertRegistryWritable(path: string): Promise<void> {
  if (await exists(path)) return await replace(path, () => readWhole(path, LARGEST_REGISTRY));
  await writing(path, async () => {
    const probe = await Deno.makeTempFile({ dir: await directoryOf(path), prefix: DRAFT });
    await Deno.remove(probe);
  });
}

/**
 * Writes pools into the registry at `path`, over what is there of theirs and beside everything else: an operator's fee
 * policy stays. The file is replaced in one step, so that nobody ever reads half of it.
 *
 * @throws {Problem} `cannot_write`; `invalid_registry` when what is there cannot be read
 */
export async function addToRegistry(
  network: Network,
  path: string,
  deployments: readonly Deployment[],
): Promise<void> {
  const pools = new Map((await readRegistryIfAny(network, path)).pools);
  for (const pool of deployments) pools.set(poolKey(pool), { ...pools.get(poolKey(pool)), ...pool });
  await replace(path, () => new TextEncoder().encode(formatDeployments({ network, pools })));
}

const DRAFT = ".registry-";

/** In one step; what the name leads to is replaced, and keeps who may read it. */
async function replace(path: string, content: () => Uint8Array): Promise<void> {
  await writing(path, async () => {
    const there = await exists(path);
    const target = there ? await Deno.realPath(path) : path;
    const mode = there ? (await Deno.stat(target)).mode : null;
    const draft = await Deno.makeTempFile({ dir: await directoryOf(target), prefix: DRAFT });
    try {
      await Deno.writeFile(draft, content());
      using file = await Deno.open(draft, { write: true });
      await file.sync();
      // A temporary file is for its owner only.
      if (Deno.build.os !== "windows") await Deno.chmod(draft, (mode ?? 0o644) & 0o777);
      await Deno.rename(draft, target);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  });
}

async function directoryOf(path: string): Promise<string> {
  const directory = path.replace(/[^/\\]*$/, "") || ".";
  await Deno.mkdir(directory, { recursive: true });
  return directory;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    // Below a file there is nothing, and nothing can be made there: whoever writes will hear it.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw new Problem("invalid_registry", `registry ${path}: it cannot be read`, { cause: error });
  }
}

async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Problem("cannot_write", `the registry ${path} cannot be written: ${reason}`, {
      todo:
        "Make room, or name another file with --registry, and run it again: a pool that stands is found, and not " +
        "paid for twice.",
      cause,
    });
  }
}
