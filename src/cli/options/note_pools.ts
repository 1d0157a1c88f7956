import type { NoteRecord } from "../../client/notes/note_store.ts";
import { type Deployment, type Deployments, poolKey } from "../../core/protocol/deployments.ts";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";

function poolNotFoundError(code: ProblemCode, key: string, keys: Iterable<string>): Problem {
  return new Problem(code, `no pool ${key} in the registry: ${[...keys].join(", ") || "it is empty"}`, {
    hint: "Choose one of those, or another --network or --registry: `tonado pool list` lists their pools.",
  });
}

/** Throws `wrong_pool` if no pool with the note's asset and amount is registered. */
export function candidatePools({ note, pool }: NoteRecord, { pools }: Deployments): [string, Deployment][] {
  const { asset, amount, version } = note.reveal();
  const found = [...pools].filter(([, each]) =>
    each.asset === asset && each.amount === amount && (each.version ?? 1) === version &&
    (pool === undefined || each.address.toRawString() === pool)
  );
  if (found.length === 0) {
    throw poolNotFoundError("wrong_pool", pool ?? poolKey({ asset, amount, version }), pools.keys());
  }
  return found;
}

/** Throws `wrong_pool` if the registry has no pool for the note, or several. */
export function resolveDeployment(record: NoteRecord, registry: Deployments): Deployment {
  const [[, pool], ...others] = candidatePools(record, registry);
  if (others.length > 0) {
    const keys = candidatePools(record, registry).map(([key]) => key).join(" or ");
    throw new Problem("wrong_pool", `the note may belong to ${keys}`, {
      hint: `\`tonado note check ${record.id} --network ${registry.network}\` finds its pool and records it.`,
    });
  }
  return pool;
}

export function findDeployment(key: string, { pools }: Deployments): Deployment {
  const pool = pools.get(key);
  if (!pool) throw poolNotFoundError("invalid_config", key, pools.keys());
  return pool;
}
