/** Compares a contribution to a ceremony with snarkjs on Node, from key file to key file, on all cores. */
import assert from "node:assert/strict";
import { type CircuitName, circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import { openArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
import { checkHistory, contribute, contributionSeeds } from "../../../src/ops/ceremony/contribution.ts";
import { parseZkey, serializeZkey } from "../../../src/ops/ceremony/zkey.ts";
import { openNodePeer } from "../peers/node_peer.ts";
import { artifactPath, comparisonStudy, type Study } from "../study.ts";

/** Target: snarkjs' time divided by ours. */
const BOUND = 3;

function contributionStudy(circuit: CircuitName): Study {
  return comparisonStudy({
    id: `contribution-${circuit}`,
    title: `Contribution to the key of ${circuit}`,
    about: "Both programs divide the same number of points by one secret and produce the new key file.",
    operation: "contribution",
    rounds: 3,
    targets: { "snarkjs on Node": { plain: BOUND, wide: BOUND } },
    async open(resources) {
      const node = resources.use(await openNodePeer());
      const arithmetic = resources.adopt(openArithmeticPool(), (pool) => pool.close());
      const folder = await Deno.makeTempDir({ prefix: "tonado-bench-" });
      resources.defer(() => Deno.remove(folder, { recursive: true }));
      const zkey = artifactPath(`${circuit}.zkey`);
      const files = { ours: `${folder}/ours.zkey`, theirs: `${folder}/theirs.zkey` };
      const entropy = new TextEncoder().encode("bench");
      const ours = async () => {
        const key = await parseZkey(await Deno.readFile(zkey), circuit);
        const seed = contributionSeeds([circuit], entropy)[circuit];
        await Deno.writeFile(
          files.ours,
          serializeZkey(await contribute(key, seed, { name: "bench" }, arithmetic)),
        );
      };
      const theirs = () => node.request("contribute", { zkey, output: files.theirs });
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
  });
}

export const ceremonyStudies: readonly Study[] = circuitsOfVersion[1].map(contributionStudy);
