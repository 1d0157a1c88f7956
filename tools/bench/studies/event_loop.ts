/** Measures whether the calling thread stays responsive during proofs and tree building. */
import { FIELD_BYTES } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { hashLeavesAfter } from "../../../src/tree/root_after.ts";
import { TreeWorkers } from "../../../src/tree/tree_workers.ts";
import { depositProverInput, withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { startLoopProbe } from "../event_loop_probe.ts";
import { blockFigure, figure, type Outcome, type Study } from "../study.ts";

const ROUNDS = 5;
const TURNS_MS = 20;
const CHUNK_BYTES = 2 ** 16 * FIELD_BYTES;
/** New leaves of one poll. */
const NEW_LEAVES = Array.from({ length: 100 }, (_, i) => BigInt(i + 1));

async function measureDelays(): Promise<Outcome> {
  const prover = await createProver();
  const workers = new TreeWorkers();
  const probe = startLoopProbe();
  let tree = new MerkleTree();
  const followed = new MerkleTree();
  await followed.appendUsing(new Uint8Array(2 * CHUNK_BYTES).fill(1), workers);
  const header = { pool: "0:00" };
  const key = new Uint8Array(32);
  let packed: Uint8Array<ArrayBuffer>;
  const works: Record<string, () => Promise<unknown>> = {
    "nothing": () => new Promise((resolve) => setTimeout(resolve, 1000)),
    "proof of a withdrawal": () => prover.proveWithdraw(withdrawProverInput()),
    "proof of a deposit": () => prover.proveDeposit(depositProverInput()),
    "tree of 2^18 leaves, in pieces": async () => {
      tree = new MerkleTree();
      for (let i = 0; i < 4; i++) await tree.appendUsing(new Uint8Array(CHUNK_BYTES).fill(i + 1), workers);
    },
    "root after 100 leaves on 2^17": () => hashLeavesAfter(followed, NEW_LEAVES, workers),
    "packing its snapshot": async () => {
      const { size, levels } = tree;
      packed = await workers.encodeSnapshot(
        { ...header, size, levels, timestamps: new Uint32Array(size) },
        key,
      );
    },
    "reading its snapshot": () => workers.decodeSnapshot(packed, key),
  };
  const gaps = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      probe.gaps();
      await work();
      await new Promise((resolve) => setTimeout(resolve, TURNS_MS)); // delays are recorded in the next turn
      const { longest } = probe.gaps();
      if (round > 0) gaps.set(name, [...gaps.get(name) ?? [], longest]); // the first round starts the threads
    }
  }
  probe.stop();
  prover.close();
  workers.close();
  const figures = [...gaps].map(([name, seen]) =>
    name === "nothing" ? figure(name, Math.max(...seen), "ms") : blockFigure(name, seen)
  );
  return { figures };
}

export const eventLoopStudy: Study = {
  id: "loop",
  title: "Longest block of the event loop",
  about:
    `The longest delay of a timer in ${ROUNDS} rounds. All cores are busy, so the delay includes the wait for a core. The row "nothing" is the delay on an idle machine.`,
  run: measureDelays,
};
