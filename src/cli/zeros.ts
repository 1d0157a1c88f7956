/** `tonado zeros`: the roots of empty subtrees, made anew and held against those that this build uses. */
import { Command } from "commander";
import { Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import { MERKLE_TREE_HEIGHT } from "../core/merkle_tree.ts";
import { zeroHashes } from "../core/zero_hashes.ts";
import { ZERO_SEED, zeros } from "../core/zeros.ts";
import { colours } from "./style.ts";
import type { Wiring } from "./wiring.ts";

interface Options {
  readonly decimal?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command. */
export function zerosCommand(wiring: Wiring): Command {
  return new Command("zeros")
    .description("print the roots of empty subtrees, made anew from their seed; nothing is asked of anybody")
    .option("--decimal", "in decimal, as circuits have them; default: in hex, as contracts and the API do")
    .option("--json", "print one JSON object, with both")
    .option("--quiet", "print only the hashes, one a line")
    .addHelpText(
      "after",
      `\nHeight 0 is an empty leaf, keccak256("${ZERO_SEED}") mod r; height ${MERKLE_TREE_HEIGHT} is the root of an empty pool. ` +
        "Each is the\nPoseidon hash of twice the one before. Ends with 1 when this build uses others.\n\n" +
        "Examples:\n  tonado zeros\n  tonado zeros --json | jq -r '.zeros[20].hex'",
    )
    .action((options: Options) => printZeros(wiring, options));
}

function printZeros({ stdout, env }: Wiring, { decimal, json, quiet }: Options): void {
  const rows = zeroHashes(ZERO_SEED, MERKLE_TREE_HEIGHT).map((hash, height) => ({
    height,
    hex: toHex(hash),
    decimal: String(hash),
  }));
  if (rows.some(({ decimal }, height) => decimal !== String(zeros[height]))) {
    throw new Problem("artifact_corrupted", "the roots of empty subtrees do not follow from their seed");
  }
  if (json) {
    return stdout.write(JSON.stringify({ seed: ZERO_SEED, height: MERKLE_TREE_HEIGHT, zeros: rows }) + "\n");
  }
  const c = colours(stdout, env);
  if (!quiet) stdout.write(`${c.bold("height")}  root of an empty subtree\n`);
  for (const row of rows) {
    const hash = decimal ? row.decimal : row.hex;
    stdout.write(quiet ? `${hash}\n` : `${String(row.height).padStart(6)}  ${hash}\n`);
  }
}
