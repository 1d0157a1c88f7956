/**
 * Depth and seed of property tests. `deno task test` runs the same cases every time. `deno task test:deep` runs many
 * times as many cases from a random seed, which it prints, in the tests that import this file.
 */
const SEED = 20261121;

/** A factor for the number of cases of a plain run. */
export const depth = integer("TONADO_DEEP") ?? 1;
/** The seed that determines all cases. */
export const seed = integer("TONADO_SEED") ?? SEED;
const failurePath = Deno.env.get("TONADO_PATH");
/** Whether this run searches for new failures. */
export const isDeep = depth > 1 && failurePath === undefined;
/** Whether this run is a plain one, the same every time. */
export const isPlain = depth === 1 && seed === SEED && failurePath === undefined;

/**
 * Returns parameters of a fast-check property with `numRuns` cases in a plain run. A failure reports its seed and the
 * path of the smallest case; `TONADO_PATH` with that path runs only this case.
 */
export function propertyParameters(numRuns: number): { numRuns: number; seed: number; path?: string } {
  return { numRuns: numRuns * depth, seed, ...failurePath && { path: failurePath } };
}

function integer(name: string): number | undefined {
  const text = Deno.env.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Error(`${name} is no integer: ${text}`);
  return value;
}

/**
 * Limits shrinking to a number of tries, because a small case is worth minutes, not hours. Untried cases count as
 * passed, so the path leads to the smallest case that failed.
 */
export function limitShrinking<T>(
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
