/**
 * Reads a tool's arguments. An unknown argument ends the tool before it does anything: a typo must not rewrite files.
 */

export interface Arguments<K extends string> {
  has(flag: K): boolean;
  /** Arguments that are not flags. */
  readonly words: readonly string[];
}

/**
 * Reads the process's arguments. Exits with 2 if one is not in `known`, or if there are more than `words` others.
 */
export function readArguments<const K extends string>(known: readonly K[], words = 0): Arguments<K> {
  const flags = Deno.args.filter((arg) => arg.startsWith("-"));
  const others = Deno.args.filter((arg) => !arg.startsWith("-"));
  const strange = [...flags.filter((flag) => !known.includes(flag as K)), ...others.slice(words)];
  if (strange.length > 0) {
    const possible = known.length === 0 ? "it takes no flags" : `its flags are ${known.join(", ")}`;
    console.error(`unknown argument ${strange.join(" ")}: ${possible}`);
    Deno.exit(2);
  }
  return { has: (flag) => flags.includes(flag), words: others };
}
