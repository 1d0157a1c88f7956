/**
 * Measures what this product claims to be fast at, beside its peers, in one run. Ratios are what counts: absolute times
 * are this machine's of this minute.
 *
 * Usage: deno task bench [words of a title...] [--json]     (`--json`: one object a section and line)
 */
import { poseidonSection } from "./bench/poseidon.ts";
import { proofSections } from "./bench/proof.ts";
import { measure, type Section } from "./bench/section.ts";
import { treeSection } from "./bench/tree.ts";
import { readArguments } from "./flags.ts";

const sections: readonly Section[] = [poseidonSection, treeSection, ...proofSections];

const given = readArguments(["--json"], Infinity);
const json = given.has("--json");
const words = given.words.map((word) => word.toLowerCase());

for (const section of sections) {
  const { title, operation } = section;
  if (words.length > 0 && !words.some((word) => title.toLowerCase().includes(word))) continue;
  const measurements = await measure(section);
  if (json) {
    console.log(JSON.stringify({ title, operation, measurements }));
    continue;
  }
  console.log(`\n${title} (time for one ${operation}, median of ${section.rounds} rounds)`);
  for (const { name, milliseconds, ratio } of measurements) {
    console.log(
      `  ${name.padEnd(36)} ${duration(milliseconds).padStart(10)}  ${ratio.toFixed(2).padStart(7)} x`,
    );
  }
}

function duration(milliseconds: number): string {
  if (milliseconds < 1) return `${(milliseconds * 1000).toFixed(1)} us`;
  return milliseconds < 1000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
