/** One mutant on trial: compiled, told from what is known, and put before the claims until one of them fails. */
import type { Mutant } from "./operators.ts";
import type { Pool } from "./suite.ts";
import { type Tester, TimedOut } from "./tester.ts";

/**
 * `same`: the compiler makes the same code of it, or of an earlier mutant; `refused`: it does not compile. Neither counts.
 */
export type Verdict = "killed" | "survived" | "same" | "refused";

/** What became of a mutant. */
export interface Result {
  readonly verdict: Verdict;
  /** The claim that killed it. */
  readonly by?: string;
  readonly why?: string;
}

/** A pool's claims in a run, with what is known of each. */
export interface Bench {
  readonly pool: Pool;
  /** Code of the sources as they are. */
  readonly hash: string;
  readonly claims: readonly Witness[];
}

export interface Witness {
  readonly index: number;
  readonly file: string;
  readonly name: string;
  /** How long it took last. */
  milliseconds: number;
  /** Whether it holds on the sources as they are, once that has been looked at: what does not, kills nothing. */
  holds: boolean | undefined;
  /** Mutants that it killed, by the file that they are of. */
  readonly kills: Map<string, number>;
}

/** Pools that a file's mutants are put to, in order: shared code is the native pool's where that pool has it. */
export function poolsOf(file: string): readonly Pool[] {
  if (file.includes("jetton")) return ["jetton"];
  return file.includes("native") ? ["native"] : ["native", "jetton"];
}

/** Cheapest for what they kill first; `hint` is part of the name of claims that come before all. */
export function inOrder(claims: readonly Witness[], file: string, hint?: string): Witness[] {
  const worth = ({ name, kills, milliseconds }: Witness) => {
    if (hint !== undefined && name.includes(hint)) return Infinity;
    const all = [...kills.values()].reduce((a, b) => a + b, 0);
    return (0.2 + 10 * (kills.get(file) ?? 0) + all) / (milliseconds + 50);
  };
  const ranked = claims.map((claim) => [worth(claim), claim] as const);
  return ranked.sort(([a], [b]) => b - a).map(([, claim]) => claim);
}

/**
 * Tries a mutant.
 *
 * @param seen code of mutants before, by pool and hash: code that was tried is not tried again
 * @param above claims that take no longer, in milliseconds, have been run on it before and did not fail
 * @throws {TimedOut} when compiling takes too long; a claim that does kills the mutant and the tester with it
 */
export async function tryMutant(
  tester: Tester,
  mutant: Mutant,
  benches: readonly Bench[],
  { seen, hint, above = 0 }: { seen: Set<string>; hint?: string; above?: number },
): Promise<Result & { readonly testerDied?: true }> {
  let refused = true;
  for (const bench of benches) {
    const { pool } = bench;
    const { hash } = await tester.ask<{ hash: string | null }>({ do: "compile", pool, mutant }, 300_000);
    if (hash === null) continue;
    refused = false;
    if (hash === bench.hash) continue;
    if (seen.has(`${pool} ${hash}`)) return { verdict: "same", why: "as another mutant" };
    seen.add(`${pool} ${hash}`);
    const open = bench.claims.filter(({ milliseconds, holds }) =>
      holds !== false && (above === 0 || milliseconds > above)
    );
    for (const claim of inOrder(open, mutant.file, hint)) {
      const by = `${claim.file}: ${claim.name}`;
      try {
        const failure = await run(tester, pool, claim);
        if (failure === null) continue;
        if (!await holds(tester, pool, claim)) {
          await tester.ask({ do: "compile", pool, mutant }, 300_000);
          continue;
        }
        claim.kills.set(mutant.file, (claim.kills.get(mutant.file) ?? 0) + 1);
        return { verdict: "killed", by, why: failure };
      } catch (error) {
        if (error instanceof TimedOut) return { verdict: "killed", by, why: "timed out", testerDied: true };
        throw error;
      }
    }
    return { verdict: "survived" };
  }
  return { verdict: refused ? "refused" : "same" };
}

async function run(tester: Tester, pool: Pool, claim: Witness): Promise<string | null> {
  const { failure, milliseconds } = await tester.ask<{ failure: string | null; milliseconds: number }>(
    { do: "run", pool, claim: claim.index },
    120_000 + 20 * claim.milliseconds,
  );
  if (failure === null) claim.milliseconds = milliseconds;
  return failure;
}

/** A claim may kill only if it holds on sound code, as it is run here. */
async function holds(tester: Tester, pool: Pool, claim: Witness): Promise<boolean> {
  if (claim.holds === undefined) {
    await tester.ask({ do: "compile", pool, mutant: null }, 300_000);
    const failure = await run(tester, pool, claim);
    claim.holds = failure === null;
    if (failure !== null) {
      console.error(`${claim.file}: ${claim.name}: left out, it fails on sound code: ${failure}`);
    }
  }
  return claim.holds;
}
