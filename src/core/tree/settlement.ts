/** One proof fills slots of one chunk: 16 neighbouring leaves that begin at a multiple of 16. */
import { CHUNK_SLOTS } from "../crypto/groth16.ts";
import { assertFieldElement } from "../crypto/field.ts";
import { poseidon } from "../crypto/poseidon.ts";
import { Problem } from "../errors/problem.ts";
import type { MerkleTree } from "./merkle_tree.ts";
import { TREE_CAPACITY } from "./tree_levels.ts";
import { zeros } from "./zeros.ts";

/** The lowest bits of `span` hold the number of commitments. */
const COUNT_BITS = 9n;
const CHUNK_HEIGHT = Math.log2(CHUNK_SLOTS);

/** Inputs of the settlement circuit: field elements in [0, r). */
export interface SettlementInput {
  readonly oldRoot: bigint;
  readonly newRoot: bigint;
  /** Number of settled commitments * 512 + number of commitments in this batch. */
  readonly span: bigint;
  readonly settler: bigint;
  /** 16 slots: the commitment that this batch puts there, otherwise 0. */
  readonly fresh: readonly bigint[];
  /** The 16 leaves of the chunk after the batch; 0 where it stays empty. */
  readonly leaves: readonly bigint[];
  /** 16 siblings, from the chunk's own up to the root's child. */
  readonly pathElements: readonly bigint[];
}

/**
 * Returns the next settlement, which fills the chunk that the tree ends in as far as the queue reaches. The
 * tree stays as it is: append the first `span % 512` commitments once the pool has accepted it.
 * @param queue the waiting commitments, oldest first; those beyond the chunk are ignored
 * @param settler field element of the reward's recipient, from {@linkcode settlerToField}
 * @throws {Problem} `not_in_field`, `tree_full`; a RangeError if the queue is empty
 * @example
 * ```ts
 * const input = settlementInputs(tree, queue, settlerToField(wallet.address));
 * const { proof, publicSignals } = await prover.proveSettlement(input);
 * ```
 */
export function settlementInputs(
  tree: MerkleTree,
  queue: readonly bigint[],
  settler: bigint,
): SettlementInput {
  const settled = tree.size;
  if (settled === TREE_CAPACITY) throw new Problem("tree_full");
  if (queue.length === 0) throw new RangeError("no commitment waits for settlement");
  assertFieldElement(settler, "settler");
  const first = settled % CHUNK_SLOTS;
  return fillChunk({
    settled,
    oldRoot: tree.root,
    settler,
    queue,
    old: Array.from({ length: first }, (_, slot) => tree.leaf(settled - first + slot)),
    pathElements: tree.nextLeafPath().pathElements.slice(CHUNK_HEIGHT),
  });
}

/**
 * Returns the settlement after `previous`, before the pool accepts that one; `queue` begins after it.
 * Throws as {@linkcode settlementInputs}, and a RangeError if `previous` does not fill its chunk.
 */
export function settlementInputsAfter(previous: SettlementInput, queue: readonly bigint[]): SettlementInput {
  const settled = settlementEnd(previous);
  if (settled % CHUNK_SLOTS !== 0) {
    throw new RangeError("the previous settlement leaves slots of its chunk empty");
  }
  if (settled === TREE_CAPACITY) throw new Problem("tree_full");
  if (queue.length === 0) throw new RangeError("no commitment waits for settlement");
  const index = settled / CHUNK_SLOTS - 1;
  // The paths of this chunk and the next one meet above the lowest level where this chunk is a left child.
  let meeting = 0;
  while ((index >> meeting) & 1) meeting++;
  const node = climb(chunkRoot(previous.leaves), index, previous.pathElements.slice(0, meeting));
  return fillChunk({
    settled,
    oldRoot: previous.newRoot,
    settler: previous.settler,
    queue,
    old: [],
    pathElements: previous.pathElements.map((sibling, level) => {
      if (level < meeting) return zeros[CHUNK_HEIGHT + level];
      return level === meeting ? node : sibling;
    }),
  });
}

export function settlementStart({ span }: Pick<SettlementInput, "span">): number {
  return Number(span >> COUNT_BITS);
}

export function settlementEnd({ span }: Pick<SettlementInput, "span">): number {
  return settlementStart({ span }) + Number(BigInt.asUintN(Number(COUNT_BITS), span));
}

function fillChunk(
  { settled, oldRoot, settler, queue, old, pathElements }:
    & Pick<SettlementInput, "oldRoot" | "settler" | "pathElements">
    & { readonly settled: number; readonly queue: readonly bigint[]; readonly old: readonly bigint[] },
): SettlementInput {
  const batch = queue.slice(0, CHUNK_SLOTS - old.length).map((commitment) =>
    assertFieldElement(commitment, "commitment")
  );
  return {
    oldRoot,
    newRoot: climb(chunkRoot([...old, ...batch]), Math.floor(settled / CHUNK_SLOTS), pathElements),
    span: (BigInt(settled) << COUNT_BITS) + BigInt(batch.length),
    settler,
    fresh: padSlots([...old.map(() => 0n), ...batch]),
    leaves: padSlots([...old, ...batch]),
    pathElements,
  };
}

function padSlots(values: readonly bigint[]): bigint[] {
  return Array.from({ length: CHUNK_SLOTS }, (_, slot) => values[slot] ?? 0n);
}

function chunkRoot(filled: readonly bigint[]): bigint {
  let nodes = Array.from({ length: CHUNK_SLOTS }, (_, slot) => filled[slot] ?? zeros[0]);
  while (nodes.length > 1) {
    nodes = Array.from({ length: nodes.length / 2 }, (_, i) => poseidon([nodes[2 * i], nodes[2 * i + 1]]));
  }
  return nodes[0];
}

function climb(node: bigint, index: number, siblings: readonly bigint[]): bigint {
  return siblings.reduce(
    (below, sibling, level) => poseidon((index >> level) & 1 ? [sibling, below] : [below, sibling]),
    node,
  );
}
