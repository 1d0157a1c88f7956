/**
 * The deployments registry, `deployments/<network>.json`: which pools exist on a network. Parsed strictly, because a
 * wrong denomination or address here costs somebody money.
 */
import { Address } from "@ton/core";
import { z } from "zod";
import { Problem } from "./errors.ts";
import { type Network, networks } from "./network.ts";
import { HIGHEST_GENERATION } from "./pool_constants.ts";
import { parseUnits } from "./units.ts";

/** One deployed pool. */
export interface Deployment {
  readonly address: Address;
  /** `native` or a jetton's identifier. */
  readonly asset: string;
  /** Denomination in whole units, decimal. */
  readonly amount: string;
  /** Of a successor, 1 and up: the pools before it of the same asset and denomination; absent of the first one. */
  readonly generation?: number;
  /** Denomination in nano (for a jetton in its smallest unit). */
  readonly denomination: bigint;
  /** Masterchain sequence number at deployment. */
  readonly deployedSeqno: number;
  /** Hex SHA-256 representation hash of the code cell. */
  readonly codeHash: string;
  /** Hex hash that ties the pool to its verification keys. */
  readonly vkeyHash: string;
  /** null: burned, nobody is admin. */
  readonly owner: Address | null;
  readonly jettonMaster?: Address;
  readonly jettonWallet?: Address;
  readonly decimals?: number;
  /** Operator's policy: smallest fee, in the pool's asset. */
  readonly feeMin?: bigint;
  /** Operator's policy: largest refund paid from the relayer's pocket, in nano native. */
  readonly maxRefund?: bigint;
  /** Operator's policy: takes no new withdrawals on; what was taken on is paid, and everything else served. */
  readonly retired?: boolean;
}

/** The pools of one network by {@linkcode poolKey}. */
export interface Deployments {
  readonly network: Network;
  readonly pools: ReadonlyMap<string, Deployment>;
}

/** Registry key of a pool: `<asset>-<amount>`, and of a successor `<asset>-<amount>-g<generation>`. */
export function poolKey(pool: { asset: string; amount: string; generation?: number }): string {
  const first = `${pool.asset}-${pool.amount}`;
  return pool.generation ? `${first}-g${pool.generation}` : first;
}

const address = z.string().transform((text, context) => {
  try {
    return Address.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is not an address" });
    return z.NEVER;
  }
});
const nano = z.string().regex(/^(0|[1-9][0-9]{0,38})$/, "is not a decimal integer string").transform(BigInt);
const hash = z.string().regex(/^[0-9a-f]{64}$/, "is not 64 lowercase hex digits");

const deployment = z.object({
  address,
  asset: z.string().regex(/^[a-z0-9]+$/),
  amount: z.string().regex(/^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/),
  generation: z.int().min(1).max(HIGHEST_GENERATION).optional(),
  denomination: nano,
  deployedSeqno: z.int().nonnegative(),
  codeHash: hash,
  vkeyHash: hash,
  owner: address.nullable(),
  jettonMaster: address.optional(),
  jettonWallet: address.optional(),
  decimals: z.int().min(0).max(30).optional(),
  feeMin: nano.optional(),
  maxRefund: nano.optional(),
  retired: z.boolean().optional(),
});

const registry = z.object({ network: z.enum(networks), pools: z.record(z.string(), deployment) });

/**
 * Parses a registry.
 *
 * @throws {Problem} `invalid_registry`, every fault listed by its JSON pointer
 */
export function parseDeployments(json: unknown): Deployments {
  const parsed = registry.safeParse(json);
  const errors = parsed.success
    ? Object.entries(parsed.data.pools).flatMap(([key, pool]) => contradictions(key, pool))
    : parsed.error.issues.map((issue) => ({ pointer: `/${issue.path.join("/")}`, detail: issue.message }));
  if (!parsed.success || errors.length > 0) {
    const list = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
    throw new Problem("invalid_registry", `deployments registry: ${list}`, { errors });
  }
  return { network: parsed.data.network, pools: new Map(Object.entries(parsed.data.pools)) };
}

/** The registry as it is written to its file: two-space JSON with a newline at the end. */
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

function unitsOf(amount: string, decimals: number): bigint | undefined {
  try {
    return parseUnits(amount, decimals);
  } catch {
    return undefined; // more places than the jetton has
  }
}

function contradictions(key: string, pool: Deployment): { pointer: string; detail: string }[] {
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
        errors.push({ pointer: `/pools/${key}/${member}`, detail: "is missing of a jetton pool" });
      }
    }
    if (pool.decimals !== undefined && unitsOf(pool.amount, pool.decimals) !== pool.denomination) {
      errors.push({ pointer: `/pools/${key}/denomination`, detail: "is not `amount` in the smallest unit" });
    }
  }
  return errors;
}
