/** The pools of a registry that a note may be in. */
import type { NoteRecord } from "../client/note_store.ts";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem, type ProblemCode } from "../core/errors.ts";

/** `invalid_config` for a key on the command line, naming the pools there are. */
export function unknownKey(key: string, keys: Iterable<string>): Problem {
  return noPool("invalid_config", key, keys);
}

function noPool(code: ProblemCode, key: string, keys: Iterable<string>): Problem {
  return new Problem(code, `no pool ${key} in the registry: ${[...keys].join(", ") || "it is empty"}`, {
    todo: "Choose one of those, or another --network or --registry: `tonado pool list` shows what they have.",
  });
}

/**
 * Where a note may be, by key: in the pool that is written beside it; if none is, in any generation of its asset and
 * amount, for a note names neither.
 *
 * @throws {Problem} `wrong_pool` when the registry has none
 */
export function poolsOf({ note, pool }: NoteRecord, { pools }: Deployments): [string, Deployment][] {
  const { asset, amount } = note.reveal();
  const found = [...pools].filter(([, each]) =>
    each.asset === asset && each.amount === amount &&
    (pool === undefined || each.address.toRawString() === pool)
  );
  if (found.length === 0) throw noPool("wrong_pool", pool ?? poolKey({ asset, amount }), pools.keys());
  return found;
}
