/** Contributions to a ceremony against snarkjs on Node, from the file of a key to the file of the next, on all cores. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type CircuitName, circuits } from "../../src/core/groth16.ts";
import { type Arithmetic, openArithmetic } from "../../src/ops/ceremony/arithmetic.ts";
import { checkHistory, contribute, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { parseZkey, writeZkey } from "../../src/ops/ceremony/zkey.ts";
import { type NodePeer, openNodePeer } from "./peers.ts";
import { comparison, type Study } from "./study.ts";

/** Bound of performance.md in the design: snarkjs' time over ours. */
const BOUND = 3;

function contributionStudy(circuit: CircuitName): Study {
  let arithmetic: Arithmetic;
  let node: NodePeer;
  let folder: string;
  return comparison({
    id: `contribution-${circuit}`,
    about: "Both divide as many points by one secret, in memory and back to a file.",
    builds: ["plain", "wide"],
  }, {
    title: `Contribution to the key of ${circuit}`,
    operation: "contribution",
    rounds: 3,
    async open() {
      node = await openNodePeer();
      arithmetic = openArithmetic();
      folder = await Deno.makeTempDir({ prefix: "tonado-bench-" });
      const zkey = fileURLToPath(new URL(`../../artifacts/${circuit}.zkey`, import.meta.url));
      const files = { ours: `${folder}/ours.zkey`, theirs: `${folder}/theirs.zkey` };
      const entropy = new TextEncoder().encode("bench");
      const ours = async () => {
        const key = await parseZkey(await Deno.readFile(zkey), circuit);
        const seed = contributionSeeds([circuit], entropy)[circuit];
        await Deno.writeFile(
          files.ours,
          writeZkey(await contribute(key, seed, { name: "bench" }, arithmetic)),
        );
      };
      const theirs = () => node.ask("contribute", { zkey, output: files.theirs });
      await Promise.all([ours(), theirs()]);
      for (const file of Object.values(files)) {
        const key = await parseZkey(await Deno.readFile(file), circuit);
        await checkHistory(key, arithmetic);
        assert.equal(key.contributions.length, 2);
      }
      return [
        { name: "ours", operations: 1, run: ours },
        { name: "snarkjs on Node", operations: 1, run: theirs },
      ];
    },
    async close() {
      arithmetic.close();
      await node.close();
      await Deno.remove(folder, { recursive: true });
    },
  }, { "snarkjs on Node": { plain: BOUND, wide: BOUND } });
}

export const ceremonyStudies: readonly Study[] = circuits.map(contributionStudy);
