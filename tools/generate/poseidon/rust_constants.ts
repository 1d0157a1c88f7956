/**
 * Generates Poseidon's parameters for the Rust kernels, in Montgomery form unless stated otherwise, in the order in
 * which `poseidon-wasm/src/poseidon.rs` uses them.
 */
import { dot, Fr, mod } from "./modular.ts";
import { ALPHA, FULL_ROUNDS, PARTIAL_ROUNDS, type PoseidonParameters } from "./parameters.ts";
import { partialRows, type Row } from "./recurrence.ts";

/** How the kernels represent field elements. */
interface Representation {
  readonly limbs: number;
  readonly limbBits: bigint;
  /** R: Montgomery form is x R. */
  readonly radix: bigint;
}

/** `poseidon-wasm/src/field/narrow.rs`. */
export const narrow: Representation = { limbs: 9, limbBits: 29n, radix: 1n << 261n };
/** `poseidon-wasm/src/field/wide.rs`. */
export const wide: Representation = { limbs: 4, limbBits: 64n, radix: 1n << 256n };

function list(items: readonly string[]): string {
  return `[\n${items.map((item) => `    ${item.replaceAll("\n", "\n    ")},`).join("\n")}\n]`;
}

/** One static of the generated file. */
type Table = [about: string, name: string, type: string, value: string];
type Writer = ReturnType<typeof createWriter>;

const rounds = FULL_ROUNDS + PARTIAL_ROUNDS;
const half = FULL_ROUNDS / 2;

/** Writes field elements and rows in one representation. */
function createWriter({ limbs: count, limbBits, radix }: Representation) {
  const limbs = (x: bigint) => {
    const all = Array.from(
      { length: count },
      (_, i) => BigInt.asUintN(Number(limbBits), x >> (limbBits * BigInt(i))),
    );
    return `[${all.map((limb) => `0x${limb.toString(16)}`).join(", ")}]`;
  };
  const row = ({ weights, addend }: Row, lift = radix) =>
    [
      "Row {",
      `    weights: ${list(weights.map((x) => limbs(mod(x * lift)))).replaceAll("\n", "\n    ")},`,
      `    addend: ${limbs(mod(addend * radix ** 2n))},`,
      "}",
    ].join("\n");
  return {
    radix,
    limbs,
    /** A row whose weights are multiplied by `lift` instead of the Montgomery factor. */
    row,
  };
}

/** The tables of the hash of one input. */
function oneInputTables(
  { width, roundConstants, mds }: PoseidonParameters,
  { limbs, radix }: Writer,
): Table[] {
  const keys = Array.from({ length: rounds }, (_, r) => {
    const lift = radix ** (r === 0 ? 1n : 2n);
    return list(roundConstants.slice(width * r, width * r + width).map((x) => limbs(mod(x * lift))));
  });
  return [
    [
      "One input: constants of all rounds, after round 0 as addends.",
      "ONE_KEYS",
      `[[Limbs; 2]; ${rounds}]`,
      list(keys),
    ],
    [
      "One input: the matrix.",
      "ONE_MIX",
      "[[Limbs; 2]; 2]",
      list(mds.map((row) => list(row.map((x) => limbs(mod(x * radix)))))),
    ],
  ];
}

/** The tables of the hash of two inputs. */
function twoInputTables(two: PoseidonParameters, { limbs, row: rustRow, radix }: Writer): Table[] {
  const constants = (r: number) => two.roundConstants.slice(3 * r, 3 * r + 3);
  const mixAfter = (r: number) =>
    two.mds.map((weights, i) => rustRow({ weights, addend: constants(r + 1)[i] }));

  // Round 0 knows the capacity element. Its S-box works on plain integers: five factors x without Montgomery form
  // give x^5 R^-4, so these weights carry R^6 where others carry R.
  const capacity = Fr.pow(constants(0)[0], ALPHA);
  const firstMix = two.mds.map((row, i) =>
    rustRow({ weights: row.slice(1), addend: dot([row[0], 1n], [capacity, constants(1)[i]]) }, radix ** 6n)
  );
  const { entry, second, steps, exit } = partialRows(two);

  return [
    [
      "Two inputs, round 0: constants of elements 1 and 2, plain integers.",
      "FIRST_KEYS",
      "[Limbs; 2]",
      list(constants(0).slice(1).map(limbs)),
    ],
    [
      "Round 0: mixes elements 1 and 2 (plain, after the S-box) into Montgomery form; element 0 is constant.",
      "FIRST_MIX",
      "[Row<2>; 3]",
      list(firstMix),
    ],
    [
      "The full rounds before the partial ones but for the last: matrix, and constants of the round after.",
      "FULL_BEFORE",
      `[[Row<3>; 3]; ${half - 2}]`,
      list(Array.from({ length: half - 2 }, (_, r) => list(mixAfter(r + 1)))),
    ],
    ["Into the recurrence: S_0, Z_0.", "ENTRY", "[Row<3>; 2]", list(entry.map((row) => rustRow(row)))],
    ["Z_1.", "SECOND", "Row<4>", rustRow(second)],
    [
      "Z_r from round 2 on.",
      "STEPS",
      `[Row<4>; ${PARTIAL_ROUNDS - 2}]`,
      list(steps.map((row) => rustRow(row))),
    ],
    [
      "Out of the recurrence: elements 1 and 2.",
      "EXIT",
      "[Row<4>; 2]",
      list(exit.map((row) => rustRow(row))),
    ],
    [
      "The full rounds after the partial ones but for the last.",
      "FULL_AFTER",
      `[[Row<3>; 3]; ${half - 1}]`,
      list(Array.from({ length: half - 1 }, (_, r) => list(mixAfter(half + PARTIAL_ROUNDS + r)))),
    ],
    [
      "The last round: element 0 as a plain integer.",
      "LAST",
      "Row<3>",
      rustRow({ weights: two.mds[0], addend: 0n }, 1n),
    ],
  ];
}

/** Returns the file of `poseidon-wasm/src/generated/` for one representation. */
export function rustConstants(
  representation: Representation,
  one: PoseidonParameters,
  two: PoseidonParameters,
): string {
  const writer = createWriter(representation);
  const tables: Table[] = [
    ...oneInputTables(one, writer),
    [
      "R^2: a product with it brings a plain integer into Montgomery form.",
      "RADIX_SQUARED",
      "Limbs",
      writer.limbs(mod(writer.radix * writer.radix)),
    ],
    ...twoInputTables(two, writer),
  ];
  return `// Generated by \`deno task poseidon:params\`; do not edit.
use crate::field::{Limbs, Row};
${
    tables.map(([about, name, type, value]) => `\n/// ${about}\npub static ${name}: ${type} = ${value};\n`)
      .join("")
  }`;
}
