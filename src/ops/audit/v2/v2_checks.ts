/** Checks of a version 2 pool: what its account stores against what its logs give. */
import { type Address, beginCell, type Cell, type Dictionary } from "@ton/core";
import {
  checkFailed,
  checkPassed,
  type CheckResult,
  checkWarning,
} from "../../../core/errors/check_result.ts";
import { FULL_REWARD_SECONDS } from "../../../core/protocol/v2/pool_constants.ts";
import type { PoolInfo } from "../../../ton/pool/pool_getters.ts";
import { decodeLedger, encodeQueue, encodeRoots } from "../../../ton/pool/v2/pool_state.ts";
import type { PoolFacts } from "../pool_facts.ts";
import type { V2Facts } from "./v2_facts.ts";

/** After a longer wait no settler is active: the reward has long covered the cost of a settlement. */
const MAX_WAIT_SECONDS = 3 * FULL_REWARD_SECONDS;

export function v2Checks(facts: PoolFacts, version2: V2Facts): CheckResult[] {
  return [
    checkTree(facts, version2),
    checkQueue(facts, version2),
    checkSettlement(facts, version2),
    checkSpentSet(version2),
  ];
}

function checkTree(
  { nextIndex, roots, currentRoot, info, generation }: PoolFacts,
  { rebuilt, settleInfo, stored }: V2Facts,
): CheckResult {
  const { leaves, fault, commitments, rootCount, rootHistory, acceptedRoots } = rebuilt;
  if (fault) return checkFailed("tree", `no pool writes these logs: ${fault}`);
  if (commitments.length !== nextIndex || commitments.length !== info.deposits) {
    return checkFailed(
      "tree",
      `the pool's logs contain ${commitments.length} deposits, the pool reports ${nextIndex}`,
    );
  }
  if (leaves !== settleInfo.settled || rootCount !== settleInfo.rootCount) {
    return checkFailed(
      "tree",
      `the pool's logs settle ${leaves} leaves ${rootCount} times, the pool reports ${settleInfo.settled} ` +
        `and ${settleInfo.rootCount}`,
    );
  }
  if (currentRoot !== rootHistory[0]) {
    return checkFailed("tree", `${leaves} leaves from the pool's logs give another root`);
  }
  const reported = roots.length === rootHistory.length && roots.every((root, i) => root === rootHistory[i]);
  const settings = { generation: generation ?? 0, owner: info.owner };
  const jetton = info.assetKind === "jetton" ? {} : undefined;
  const expected = encodeRoots({ roots: acceptedRoots, rootCount, ...settings, jetton });
  const storedRoots = jetton && stored ? tryDecodeLedger(stored.roots, info) : stored?.roots;
  if (!reported || !storedRoots?.equals(expected)) {
    return checkFailed("tree", "it accepts roots that the leaves from its logs do not give");
  }
  return checkPassed(
    "tree",
    `${leaves} leaves from the pool's logs give its root and the ${
      Math.max(1, acceptedRoots.length)
    } roots that it accepts`,
  );
}

/** Returns the root history of a jetton pool if the cell beside it has what the pool reports. */
function tryDecodeLedger(ledger: Cell, { owner, jettonMaster, jettonWallet, claims }: PoolInfo) {
  const isSame = (a: Address | null, b: Address | null) => a === null || b === null ? a === b : a.equals(b);
  try {
    const stored = decodeLedger(ledger);
    const holds = isSame(stored.owner, owner) && isSame(stored.master, jettonMaster) &&
      isSame(stored.wallet, jettonWallet) && stored.claimCount === claims && stored.claims.size === claims;
    return holds ? stored.roots : undefined;
  } catch {
    return undefined;
  }
}

function checkQueue({ info }: PoolFacts, { rebuilt, stored }: V2Facts): CheckResult {
  const { commitments, leaves } = rebuilt;
  const expected = encodeQueue({
    deposits: commitments.length,
    settled: leaves,
    commitment: (leafIndex) => commitments[leafIndex],
  });
  const holds = stored?.newest.equals(expected.newest) &&
    dictionaryCell(stored.complete).equals(dictionaryCell(expected.complete));
  const waiting = info.deposits - leaves;
  return holds
    ? checkPassed("queue", `it stores the ${waiting} commitments that wait, as its logs give them`)
    : checkFailed("queue", "it stores other commitments than its logs give");
}

/** Deposits that wait are safe, but cannot be withdrawn yet. */
function checkSettlement({ readAt, info }: PoolFacts, { settleInfo, rebuilt }: V2Facts): CheckResult {
  const waiting = info.deposits - rebuilt.leaves;
  if (waiting === 0) return checkPassed("settled", "every deposit is settled");
  const seconds = Math.max(0, readAt - settleInfo.waitingSince);
  const text = `${waiting} deposits wait, for ${Math.floor(seconds / 60)} minutes`;
  return seconds > MAX_WAIT_SECONDS
    ? checkWarning(
      "settled",
      `${text}: no settlement arrives, although the reward covers its cost; anyone can settle`,
    )
    : checkPassed("settled", text);
}

function checkSpentSet({ rebuilt: { spent }, stored }: V2Facts): CheckResult {
  return stored?.spent.equals(spent.table())
    ? checkPassed("spent", `its digests are those of the ${spent.size} nullifier hashes in its logs`)
    : checkFailed("spent", "its digests are not those of the nullifier hashes in its logs");
}

function dictionaryCell(dictionary: Dictionary<number, Cell>): Cell {
  return beginCell().storeDict(dictionary).endCell();
}
