/**
 * Runs circomspect, a static analyser for circom, over the circuits and holds its findings against those that
 * docs/circuits.md answers. Ends with 1 when it finds anything else, or no longer finds what is answered.
 * circomspect is a Rust program that Trail of Bits publishes: `cargo install circomspect --version 0.9.0`.
 *
 * Usage: deno task circuits:audit
 */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { CIRCUITS } from "./circuits.ts";
import { readArguments } from "./flags.ts";

readArguments([]);

/** Notes of these rules are answered for the rule, not the place: they are given for all arithmetic, and all loops. */
const ANSWERED_RULES = new Set(["CS0003", "CS0004"]);
/** Warnings that are answered, by rule and statement. */
const ANSWERED = new Set([
  "CS0005 bits[i] <-- (leafIndex >> i) & 1;",
  "CS0017 signal recipientSquare <== recipient * recipient;",
  "CS0017 signal relayerSquare <== relayer * relayer;",
  "CS0017 signal feeSquare <== fee * fee;",
  "CS0017 signal refundSquare <== refund * refund;",
]);

/** What is read of a SARIF report. */
const report = z.object({
  runs: z.array(z.object({
    results: z.array(z.object({
      level: z.string(),
      ruleId: z.string(),
      message: z.object({ text: z.string() }),
      locations: z.array(z.object({
        physicalLocation: z.object({
          artifactLocation: z.object({ uri: z.string() }),
          region: z.object({ startLine: z.number() }),
        }),
      })).min(1),
    })),
  })),
});

const sources: string[] = [];
for (const folder of [CIRCUITS, new URL("generated/", CIRCUITS)]) {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".circom")) sources.push(fileURLToPath(new URL(name, folder)));
  }
}
const sarif = await Deno.makeTempFile({ suffix: ".sarif" });
const args = ["--curve", "bls12_381", "--level", "info", "--sarif-file", sarif, ...sources.sort()];
try {
  await new Deno.Command("circomspect", { args, stdout: "null", stderr: "null" }).output();
} catch (error) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  console.error("circuits:audit: circomspect is not installed: cargo install circomspect --version 0.9.0");
  Deno.exit(1);
}
const { runs } = report.parse(JSON.parse(await Deno.readTextFile(sarif)));
await Deno.remove(sarif);

const open = new Set(ANSWERED);
const unanswered: string[] = [];
const counts = new Map<string, number>();
for (const { ruleId, message, locations } of runs.flatMap(({ results }) => results)) {
  const { artifactLocation: { uri }, region: { startLine } } = locations[0].physicalLocation;
  const statement = (await Deno.readTextFile(new URL(uri))).split("\n")[startLine - 1].trim();
  const finding = `${ruleId} ${statement}`;
  counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
  open.delete(finding);
  if (!ANSWERED.has(finding) && !ANSWERED_RULES.has(ruleId)) {
    unanswered.push(`${uri}:${startLine}: ${finding}\n    ${message.text}`);
  }
}
for (const finding of unanswered) console.error(`not answered: ${finding}`);
for (const finding of open) console.error(`answered, and no longer found: ${finding}`);
if (unanswered.length + open.size > 0) Deno.exit(1);
const summary = [...counts].sort().map(([rule, count]) => `${count} of ${rule}`).join(", ");
console.log(
  `circuits:audit: ${sources.length} files, all findings answered in docs/circuits.md (${summary})`,
);
