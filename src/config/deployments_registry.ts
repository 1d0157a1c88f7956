import {
  type Deployment,
  type Deployments,
  formatDeployments,
  parseDeployments,
  poolKey,
} from "../core/protocol/deployments.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Network } from "../core/protocol/network.ts";
import {
  fileExists,
  formatReadFailure,
  MAX_REGISTRY_BYTES,
  readBoundedFile,
  readBoundedTextFile,
} from "./files/bounded_file.ts";

/** Without `path`, reads the release's registry. Throws `invalid_registry`, naming the file. */
export async function readRegistry(network: Network, path?: string): Promise<Deployments> {
  const file = path ?? new URL(`../../deployments/${network}.json`, import.meta.url);
  let registry: Deployments;
  try {
    registry = parseDeployments(
      JSON.parse(await Promise.resolve(readBoundedTextFile(file, MAX_REGISTRY_BYTES))),
    );
  } catch (cause) {
    const detail = cause instanceof Problem
      ? cause.message
      : cause instanceof SyntaxError
      ? "it is not JSON"
      : `it cannot be read${formatReadFailure(cause)}`;
    const errors = cause instanceof Problem ? cause.errors : [];
    throw new Problem("invalid_registry", `registry ${file}: ${detail}`, { errors, cause });
  }
  if (registry.network !== network) {
    throw new Problem("invalid_registry", `registry ${file} is of ${registry.network}, not of ${network}`);
  }
  return registry;
}

export function workingRegistryPath(network: Network): string {
  return `deployments/${network}.json`;
}

export async function readRegistryOrEmpty(network: Network, path: string): Promise<Deployments> {
  if (!await exists(path)) return { network, pools: new Map() };
  return await readRegistry(network, path);
}

/** Only localnet falls back to the working directory: a file found there must not decide where money goes. */
export async function findRegistry(network: Network, path?: string): Promise<Deployments> {
  if (path !== undefined) return await readRegistry(network, path);
  if (network === "localnet") return await readRegistryOrEmpty(network, workingRegistryPath(network));
  return await readRegistry(network);
}

export function registryLabel(network: Network, path?: string): string {
  if (path !== undefined) return path;
  return network === "localnet" ? workingRegistryPath(network) : "this release's registry";
}

/** Call it before money moves. Throws `write_failed` or `invalid_registry`. */
export async function assertRegistryWritable(path: string): Promise<void> {
  if (await exists(path)) {
    return await replaceAtomically(path, () => readBoundedFile(path, MAX_REGISTRY_BYTES));
  }
  await wrapRegistryWriteErrors(path, async () => {
    const probe = await Deno.makeTempFile({ dir: await ensureDirectoryOf(path), prefix: DRAFT_PREFIX });
    await Deno.remove(probe);
  });
}

/** Keeps everything else in the file, such as fee policies. Throws `write_failed` or `invalid_registry`. */
export async function addToRegistry(
  network: Network,
  path: string,
  deployments: readonly Deployment[],
): Promise<void> {
  const pools = new Map((await readRegistryOrEmpty(network, path)).pools);
  for (const pool of deployments) pools.set(poolKey(pool), { ...pools.get(poolKey(pool)), ...pool });
  await replaceAtomically(path, () => new TextEncoder().encode(formatDeployments({ network, pools })));
}

const DRAFT_PREFIX = ".registry-";

/** Replaces a file atomically. Follows links and keeps the mode. */
async function replaceAtomically(path: string, content: () => Uint8Array): Promise<void> {
  await wrapRegistryWriteErrors(path, async () => {
    const isPresent = await exists(path);
    const target = isPresent ? await Deno.realPath(path) : path;
    const mode = isPresent ? (await Deno.stat(target)).mode : null;
    const draft = await Deno.makeTempFile({ dir: await ensureDirectoryOf(target), prefix: DRAFT_PREFIX });
    try {
      await Deno.writeFile(draft, content());
      using file = await Deno.open(draft, { write: true });
      await file.sync();
      // A temporary file is readable only by its owner.
      if (Deno.build.os !== "windows") await Deno.chmod(draft, (mode ?? 0o644) & 0o777);
      await Deno.rename(draft, target);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  });
}

async function ensureDirectoryOf(path: string): Promise<string> {
  const directory = path.replace(/[^/\\]*$/, "") || ".";
  await Deno.mkdir(directory, { recursive: true });
  return directory;
}

async function exists(path: string): Promise<boolean> {
  // A path below a file does not exist either; the write reports it.
  return await fileExists(path).catch((cause) => {
    throw new Problem("invalid_registry", `registry ${path}: it cannot be read`, { cause });
  });
}

async function wrapRegistryWriteErrors(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Problem("write_failed", `the registry ${path} cannot be written: ${reason}`, {
      hint:
        "Free disk space, or choose another file with --registry, and run the command again. It finds pools " +
        "that are already deployed and does not pay for them twice.",
      cause,
    });
  }
}
