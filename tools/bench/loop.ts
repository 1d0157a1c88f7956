/** Whether this thread can do other things while proofs and trees are made. */
import { FIELD_BYTES } from "../../src/core/field.ts";
import { MerkleTree } from "../../src/core/merkle_tree.ts";
import { createProver } from "../../src/prover/prover.ts";
import { rootAfter } from "../../src/tree/root_after.ts";
import { TreeWorkers } from "../../src/tree/tree_service.ts";
import { depositInput, withdrawInput } from "../../tests/support/proof_inputs.ts";
import { probeLoop } from "./loop_probe.ts";
import { type Figure, NEVER_BLOCKED, type Outcome, type Study } from "./study.ts";

const ROUNDS = 5;
const TURNS_MS = 20;
const PIECE = 2 ** 16 * FIELD_BYTES;
/** What a poll may find at once. */
const NEW_LEAVES = Array.from({ length: 100 }, (_, i) => BigInt(i + 1));

async function away(): Promise<Outcome> {
  const prover = await createProver();
  const workers = new TreeWorkers();
  const probe = probeLoop();
  let tree = new MerkleTree();
  const followed = new MerkleTree();
  await followed.appendWith(new Uint8Array(2 * PIECE).fill(1), workers);
  const header = { pool: "0:00" };
  const key = new Uint8Array(32);
  let packed: Uint8Array<ArrayBuffer>;
  const works: Record<string, () => Promise<unknown>> = {
    "nothing": () => new Promise((resolve) => setTimeout(resolve, 1000)),
    "proof of a withdrawal": () => prover.proveWithdraw(withdrawInput()),
    "proof of a deposit": () => prover.proveDeposit(depositInput()),
    "tree of 2^18 leaves, in pieces": async () => {
      tree = new MerkleTree();
      for (let i = 0; i < 4; i++) await tree.appendWith(new Uint8Array(PIECE).fill(i + 1), workers);
    },
    "root after 100 leaves on 2^17": () => rootAfter(followed, NEW_LEAVES, workers),
    "packing its snapshot": async () => {
      const { size, levels } = tree;
      packed = await workers.pack({ ...header, size, levels, times: new Uint32Array(size) }, key);
    },
    "reading its snapshot": () => workers.unpack(packed, key),
  };
  const gaps = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      probe.gaps();
      await work();
      await new Promise((resolve) => setTimeout(resolve, TURNS_MS)); // what ended just now is seen in the next turn
      const { longest } = probe.gaps();
      if (round > 0) gaps.set(name, [...gaps.get(name) ?? [], longest]); // the first one starts the threads
    }
  }
  probe.stop();
  prover.close();
  workers.close();
  const figures = Object.keys(works).map((name): Figure => ({
    name,
    value: Math.max(...gaps.get(name)!),
    unit: "ms",
    ...name === "nothing" ? {} : { target: NEVER_BLOCKED },
  }));
  return { figures };
}

export const loopStudy: Study = {
  id: "loop",
  title: "Longest block of the event loop",
  about:
    `How late a timer comes at worst, the worst of ${ROUNDS} rounds. Every core works, so that the thread also waits for the system to give it one; "nothing" tells how much of it that is on an idle machine.`,
  run: away,
};
