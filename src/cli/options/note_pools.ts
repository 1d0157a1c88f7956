import type { PoolJetton } from "../../client/notes/pool_match.ts";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import { type Deployment, type Deployments, poolKey } from "../../core/protocol/deployments.ts";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";

export function unknownPoolKeyError(key: string, keys: Iterable<string>): Problem {
  return poolNotFoundError("invalid_config", key, keys);
}

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

export function toPoolJetton({ asset, decimals, jettonMaster }: Deployment): PoolJetton | undefined {
  return jettonMaster && { asset, decimals: decimals!, jettonMaster };
}

/** `now` in Unix milliseconds. Throws `invalid_config` for an unknown key. */
export function createNoteForPool(key: string, { network, pools }: Deployments, now: number): NoteRecord {
  const pool = pools.get(key);
  if (!pool) throw unknownPoolKeyError(key, pools.keys());
  const { asset, amount, address, version } = pool;
  const text = formatNote(createNote({ asset, amount, network, ...version && { version } }));
  return { ...createNoteRecord(text, now), pool: address.toRawString() };
}
