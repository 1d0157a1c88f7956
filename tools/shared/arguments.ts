/**
 * Reads a tool's arguments. An unknown argument ends the tool before it does anything: a typo must not rewrite files.
 * `--help` prints the comment at the head of the tool's file, which says what it does and how to call it.
 */
import { fileURLToPath } from "node:url";

export interface Arguments<K extends string> {
  has(flag: K): boolean;
  /** Arguments that are not flags. */
  readonly words: readonly string[];
}

/**
 * Reads the process's arguments. Exits with 2 if one is not in `known`, or if there are more than `words` others.
 */
export function readArguments<const K extends string>(known: readonly K[], words = 0): Arguments<K> {
  if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
    console.log(describeTool(Deno.readTextFileSync(fileURLToPath(Deno.mainModule))));
    Deno.exit(0);
  }
  const flags = Deno.args.filter((arg) => arg.startsWith("-"));
  const others = Deno.args.filter((arg) => !arg.startsWith("-"));
  const strange = [...flags.filter((flag) => !known.includes(flag as K)), ...others.slice(words)];
  if (strange.length > 0) {
    const possible = known.length === 0
      ? "the only flag is --help"
      : `its flags are ${known.join(", ")}, --help`;
    console.error(`unknown argument ${strange.join(" ")}: ${possible}`);
    Deno.exit(2);
  }
  return { has: (flag) => flags.includes(flag), words: others };
}

/** Returns the text of the comment at the head of a tool's source. */
export function describeTool(source: string): string {
  return source.slice(source.indexOf("/**"), source.indexOf("*/")).split("\n").slice(1)
    .map((line) => line.replace(/^ \* ?/, "")).join("\n").trim();
}
