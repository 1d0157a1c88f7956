/** The registry `deployments/<network>.json`. Parsing is strict: a wrong address or amount loses money. */
import { Address } from "@ton/core";
import * as z from "zod";
import { Problem } from "../errors/problem.ts";
import { type Network, networks } from "./network.ts";
import { MAX_GENERATION } from "./pool_constants.ts";
import { addressSchema, amountSchema, countSchema, hashTextSchema } from "./api/scalars.ts";
import { parseUnits } from "./units.ts";

/** The version of a pool's contract. */
export type PoolVersion = 1 | 2;

/** A deployed pool. */
export interface Deployment {
  readonly address: Address;
  readonly asset: string;
  /** The denomination in whole units, decimal. */
  readonly amount: string;
  /** The generation of a successor, from 1; absent for the first pool. */
  readonly generation?: number;
  /** Absent: version 1. */
  readonly version?: 2;
  /** The denomination in nano, or in the jetton's smallest unit. */
  readonly denomination: bigint;
  readonly deployedSeqno: number;
  readonly codeHash: string;
  readonly vkeyHash: string;
  /** null: the pool has no owner. */
  readonly owner: Address | null;
  readonly jettonMaster?: Address;
  readonly jettonWallet?: Address;
  readonly decimals?: number;
  /** Operator's policy: the minimum fee, in the pool's asset. */
  readonly feeMin?: bigint;
  /** Operator's policy: the largest refund that the relayer pays, in nano of the native coin. */
  readonly maxRefund?: bigint;
  /** Operator's policy: the relayer accepts no new withdrawals and still completes those already accepted. */
  readonly retired?: boolean;
}

/** The pools of one network, by {@linkcode poolKey}. */
export interface Deployments {
  readonly network: Network;
  readonly pools: ReadonlyMap<string, Deployment>;
}

/**
 * Returns a pool's key in the registry: `<asset>-<amount>`, `-v2` for a version 2 pool, and `-g<generation>` for
 * a successor.
 * @example
 * ```ts
 * poolKey({ asset: "native", amount: "10", generation: 1 }); // "native-10-g1"
 * poolKey({ asset: "native", amount: "10", version: 2 }); // "native-10-v2"
 * ```
 */
export function poolKey(
  pool: { asset: string; amount: string; version?: PoolVersion; generation?: number },
): string {
  const first = `${pool.asset}-${pool.amount}${pool.version === 2 ? "-v2" : ""}`;
  return pool.generation ? `${first}-g${pool.generation}` : first;
}

const deploymentSchema = z.object({
  address: addressSchema,
  asset: z.string().regex(/^[a-z0-9]+$/),
  amount: z.string().regex(/^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/),
  generation: z.int().min(1).max(MAX_GENERATION).optional(),
  version: z.literal(2).optional(),
  denomination: amountSchema,
  deployedSeqno: countSchema,
  codeHash: hashTextSchema,
  vkeyHash: hashTextSchema,
  owner: addressSchema.nullable(),
  jettonMaster: addressSchema.optional(),
  jettonWallet: addressSchema.optional(),
  decimals: z.int().min(0).max(30).optional(),
  feeMin: amountSchema.optional(),
  maxRefund: amountSchema.optional(),
  retired: z.boolean().optional(),
});

const registrySchema = z.object({ network: z.enum(networks), pools: z.record(z.string(), deploymentSchema) });

/**
 * Parses a registry.
 * @throws {Problem} `invalid_registry`, with one entry of `errors` for each fault
 * @example
 * ```ts
 * const { pools } = parseDeployments(JSON.parse(await Deno.readTextFile("deployments/testnet.json")));
 * ```
 */
export function parseDeployments(json: unknown): Deployments {
  const parsed = registrySchema.safeParse(json);
  const errors = parsed.success
    ? Object.entries(parsed.data.pools).flatMap(([key, pool]) => findInconsistencies(key, pool))
    : parsed.error.issues.map((issue) => ({ pointer: `/${issue.path.join("/")}`, detail: issue.message }));
  if (!parsed.success || errors.length > 0) {
    const list = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
    throw new Problem("invalid_registry", `deployments registry: ${list}`, { errors });
  }
  return { network: parsed.data.network, pools: new Map(Object.entries(parsed.data.pools)) };
}

export function formatDeployments({ network, pools }: Deployments): string {
  const testOnly = network !== "mainnet";
  const text = (value: unknown) => {
    if (value instanceof Address) return value.toString({ bounceable: true, testOnly });
    return typeof value === "bigint" ? String(value) : value;
  };
  const plain = [...pools].map(([key, pool]) => [
    key,
    Object.fromEntries(
      Object.entries(pool).filter(([, value]) => value !== undefined).map((
        [name, value],
      ) => [name, text(value)]),
    ),
  ]);
  return JSON.stringify({ network, pools: Object.fromEntries(plain) }, null, 2) + "\n";
}

function tryParseUnits(amount: string, decimals: number): bigint | undefined {
  try {
    return parseUnits(amount, decimals);
  } catch {
    return undefined; // more decimal places than the jetton has
  }
}

function findInconsistencies(key: string, pool: Deployment): { pointer: string; detail: string }[] {
  const errors = [];
  if (key !== poolKey(pool)) {
    errors.push({ pointer: `/pools/${key}`, detail: `is not the key ${poolKey(pool)}` });
  }
  if (pool.asset === "native" && parseUnits(pool.amount) !== pool.denomination) {
    errors.push({ pointer: `/pools/${key}/denomination`, detail: "is not `amount` in nano" });
  }
  if (pool.asset !== "native") {
    for (const member of ["jettonMaster", "jettonWallet", "decimals"] as const) {
      if (pool[member] === undefined) {
        errors.push({ pointer: `/pools/${key}/${member}`, detail: "is required for a jetton pool" });
      }
    }
    if (pool.decimals !== undefined && tryParseUnits(pool.amount, pool.decimals) !== pool.denomination) {
      errors.push({ pointer: `/pools/${key}/denomination`, detail: "is not `amount` in the smallest unit" });
    }
  }
  return errors;
}
