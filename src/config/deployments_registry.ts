import {
  type Deployment,
  type Deployments,
  formatDeployments,
  parseDeployments,
  poolKey,
} from "../core/protocol/deployments.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Network } from "../core/protocol/network.ts";
import { createFolderOf, followLinks, replaceFile } from "./files/atomic_file.ts";
import { lockFile } from "./files/file_lock.ts";
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
  await changeRegistry(path, async () => {
    return await exists(path) ? readBoundedFile(path, MAX_REGISTRY_BYTES) : undefined;
  });
}

/** Keeps everything else in the file, such as fee policies. Throws `write_failed` or `invalid_registry`. */
export async function addToRegistry(
  network: Network,
  path: string,
  deployments: readonly Deployment[],
): Promise<void> {
  await changeRegistry(path, async () => {
    const pools = new Map((await readRegistryOrEmpty(network, path)).pools);
    for (const pool of deployments) pools.set(poolKey(pool), { ...pools.get(poolKey(pool)), ...pool });
    return new TextEncoder().encode(formatDeployments({ network, pools }));
  });
}

const LOCK_TIMEOUT_MS = 20_000; // changes of other processes take milliseconds

/** Writes what `change` returns for the file that no other process changes meanwhile. */
async function changeRegistry(path: string, change: () => Promise<Uint8Array | undefined>): Promise<void> {
  await wrapRegistryWriteErrors(path, async () => {
    const target = await followLinks(path);
    await createFolderOf(target);
    using _lock = await lockRegistry(target);
    const content = await change();
    if (content) await replaceFile(path, content);
  });
}

async function lockRegistry(path: string): Promise<Disposable> {
  const lock = await lockFile(`${path}.lock`, { timeoutMs: LOCK_TIMEOUT_MS });
  if (!lock) throw new Error("another process is changing it");
  return lock;
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
    if (cause instanceof Problem) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Problem("write_failed", `the registry ${path} cannot be written: ${reason}`, {
      hint:
        "Free disk space, or choose another file with --registry, and run the command again. It finds pools " +
        "that are already deployed and does not pay for them twice.",
      cause,
    });
  }
}
