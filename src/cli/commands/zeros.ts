import { Command } from "commander";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { MERKLE_TREE_HEIGHT } from "../../core/tree/merkle_tree.ts";
import { computeZeros } from "../../core/tree/compute_zeros.ts";
import { ZERO_SEED, zeros } from "../../core/tree/zeros.ts";
import { colours } from "../output/progress.ts";
import type { CliContext } from "../context.ts";
import { type OutputOptions, writeJson } from "../output/print.ts";

interface ZerosOptions extends OutputOptions {
  readonly decimal?: boolean;
}

export function zerosCommand(context: CliContext): Command {
  return new Command("zeros")
    .description("compute the roots of empty subtrees from their seed and print them; works offline")
    .option("--decimal", "print decimal, as in circuits; default: hex, as in contracts and the API")
    .option("--json", "print one JSON object, with both")
    .option("--quiet", "print only the hashes, one per line")
    .addHelpText(
      "after",
      `\nHeight 0 is an empty leaf, keccak256("${ZERO_SEED}") mod r; height ${MERKLE_TREE_HEIGHT} is the root of an empty pool. ` +
        "Each is the\nPoseidon hash of the previous one with itself. Exits with 1 if this build uses other values.\n\n" +
        "Examples:\n  tonado zeros\n  tonado zeros --json | jq -r '.zeros[20].hex'",
    )
    .action((options: ZerosOptions) => printZeros(context, options));
}

function printZeros({ stdout, env }: CliContext, { decimal, json, quiet }: ZerosOptions): void {
  const rows = computeZeros(ZERO_SEED, MERKLE_TREE_HEIGHT).map((hash, height) => ({
    height,
    hex: fieldToHex(hash),
    decimal: String(hash),
  }));
  if (rows.some(({ decimal }, height) => decimal !== String(zeros[height]))) {
    throw new Problem("artifact_corrupted", "the roots of empty subtrees do not follow from their seed");
  }
  if (json) return writeJson({ stdout }, { seed: ZERO_SEED, height: MERKLE_TREE_HEIGHT, zeros: rows });
  const c = colours(stdout, env);
  if (!quiet) stdout.write(`${c.bold("height")}  root of an empty subtree\n`);
  for (const row of rows) {
    const hash = decimal ? row.decimal : row.hex;
    stdout.write(quiet ? `${hash}\n` : `${String(row.height).padStart(6)}  ${hash}\n`);
  }
}
