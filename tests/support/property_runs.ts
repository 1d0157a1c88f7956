/**
 * How far property tests go, and from which seed. `deno task test` takes the same cases every time; `deno task test:deep`
 * goes many times as far from a seed of its own, which it prints, and runs the tests that import this file.
 */
const SEED = 20261121;

/** Times as many cases as in a plain run. */
export const depth = integer("TONADO_DEEP") ?? 1;
/** What decides every case. */
export const seed = integer("TONADO_SEED") ?? SEED;
const path = Deno.env.get("TONADO_PATH");
/** Whether this run looks for what the plain one does not. */
export const isDeep = depth > 1 && path === undefined;
/** Whether it is the plain one, the same every time. */
export const isPlain = depth === 1 && seed === SEED && path === undefined;

/**
 * Parameters of a fast-check property that takes `numRuns` cases in a plain run. A property that fails reports its seed
 * and the path of the smallest case; `TONADO_PATH` with that path runs nothing else.
 */
export function runs(numRuns: number): { numRuns: number; seed: number; path?: string } {
  return { numRuns: numRuns * depth, seed, ...path && { path } };
}

function integer(name: string): number | undefined {
  const text = Deno.env.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Error(`${name} is no integer: ${text}`);
  return value;
}

/**
 * A predicate that gives up shrinking after so many tries: to the one who reads a failure a small case is worth minutes, not
 * hours. What is not tried any more counts as held, so the path leads to the smallest case that was seen to fail.
 */
export function shrunkAtMost<T>(
  tries: number,
  predicate: (value: T) => Promise<void>,
): (value: T) => Promise<void> {
  let left = Infinity;
  return async (value) => {
    if (left-- <= 0) return;
    try {
      await predicate(value);
    } catch (error) {
      left = Math.min(left, tries);
      throw error;
    }
  };
}
