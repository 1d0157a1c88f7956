/**
 * Runs circomspect, a static analyser for circom, on the circuits and compares its findings with those that
 * docs/circuits.md answers. Exits with 1 if a finding is new or an answered one has disappeared. circomspect is a
 * Rust program by Trail of Bits: `cargo install circomspect --version 0.9.0`.
 *
 * Usage: deno task circuits:audit
 */
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { CIRCUITS_FOLDER } from "../../testkit/toolchain/circom.ts";
import { readArguments } from "../shared/arguments.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";
import { findProgram } from "../../testkit/servers/local_servers.ts";

readArguments([]);

/** Rules that are answered as a whole: they note all arithmetic, and all loops. */
const ANSWERED_RULES = new Set(["CS0003", "CS0004"]);
/** Answered warnings, by rule and statement. */
const ANSWERED = new Set([
  "CS0005 bits[i] <-- (leafIndex >> i) & 1;",
  "CS0005 chunkBits[i] <-- (start >> (height + i)) & 1;",
  "CS0005 isOld[i] <-- i < start % width ? 1 : 0;",
  "CS0005 isFilled[i] <-- i < start % width + count ? 1 : 0;",
  "CS0017 signal recipientSquare <== recipient * recipient;",
  "CS0017 signal relayerSquare <== relayer * relayer;",
  "CS0017 signal feeSquare <== fee * fee;",
  "CS0017 signal refundSquare <== refund * refund;",
  "CS0017 signal settlerSquare <== settler * settler;",
]);

/** The parts of a SARIF report in use. */
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
for (const folder of [CIRCUITS_FOLDER, new URL("generated/", CIRCUITS_FOLDER)]) {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".circom")) sources.push(fileURLToPath(new URL(name, folder)));
  }
}
const sarif = await Deno.makeTempFile({ suffix: ".sarif" });
const args = ["--curve", "bls12_381", "--level", "info", "--sarif-file", sarif, ...sources.sort()];
if (await findProgram("circomspect") === undefined) {
  console.error("circuits:audit: circomspect is not installed: cargo install circomspect --version 0.9.0");
  Deno.exit(1);
}
await childCommand("circomspect", { args, stdout: "null", stderr: "null" }).output();
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
