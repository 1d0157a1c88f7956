/** Feeds the same broken logs to everything that reads a pool's history: each finds the same contradiction. */
import { ok } from "node:assert/strict";
import { type BrokenLog, brokenLogs, toLogBody, wrongRoots } from "../support/history/broken_logs.ts";
import { int, ScriptedChain } from "../../testkit/simulation/scripted_chain.ts";
import { poolAddress, testAddress } from "../../testkit/simulation/scripted_pool.ts";
import { readPoolHistory } from "../../src/client/notes/note_check.ts";
import { DepositQueueReader } from "../../src/client/settlement/deposit_queue.ts";
import { commitmentsFromChain } from "../../src/client/tree_sync.ts";
import { isFieldElement } from "../../src/core/crypto/field.ts";
import type { Deployment } from "../../src/core/protocol/deployments.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../src/core/tree/merkle_tree.ts";
import { rebuildTree } from "../../src/ops/audit/rebuilt_tree.ts";
import { rebuildV2Pool } from "../../src/ops/audit/v2/rebuilt_pool.ts";
import { HistoryVerifier, type HistoryVerifierDeps } from "../../src/relay/indexer/history_verifier.ts";
import { createPoolTree } from "../../src/relay/indexer/tree/settled_pool.ts";
import { rebuildState } from "../../src/ops/rescue/rebuilt_state.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { scanPoolTransactions } from "../../src/ton/pool/history/scan.ts";
import { V2Pool } from "../../src/ton/pool/v2/pool.ts";

interface Reader {
  readonly versions: readonly (1 | 2)[];
  readonly hasTree: boolean;
  /** Returns the contradiction, or throws it. */
  readonly read: (chain: Chain, version: 1 | 2) => Promise<unknown>;
}

const readers: Record<string, Reader> = {
  "the rescue of a frozen pool": {
    versions: [1, 2],
    hasTree: true,
    read: (chain, version) =>
      rebuildState(chain, { address: poolAddress, version, owner: null } as Deployment, "00"),
  },
  "the relayer": { versions: [1, 2], hasTree: true, read: readAsRelayer },
  "the sync of a tree": {
    versions: [1, 2],
    hasTree: false,
    read: (chain, version) =>
      Array.fromAsync(commitmentsFromChain(chain, poolAddress, version).commitments(0)),
  },
  "the check of notes": {
    versions: [1, 2],
    hasTree: true,
    read: (chain, version) => readPoolHistory(chain, poolAddress, { version }),
  },
  "a version 2 pool's log": {
    versions: [2],
    hasTree: false,
    read: (chain) => new V2Pool(chain, poolAddress).readLog(),
  },
  "the deposit queue": {
    versions: [2],
    hasTree: true,
    read: (chain) => new DepositQueueReader(new V2Pool(chain, poolAddress)).read(),
  },
  "the audit": {
    versions: [1, 2],
    hasTree: true,
    read: async (chain, version) =>
      (await (version === 1 ? rebuildTree : rebuildV2Pool)(chain, poolAddress, {})).fault,
  },
};

async function readAsRelayer(chain: Chain, version: 1 | 2): Promise<void> {
  const tree = createPoolTree(version);
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const deps = { chain, clock, walletAddress: testAddress(1), intervals: { minRetryMs: 1 } };
  const { signal } = new AbortController();
  const verifier = new HistoryVerifier(poolAddress, tree, deps as unknown as HistoryVerifierDeps, signal);
  for await (const { events } of scanPoolTransactions(chain, poolAddress, { verifier })) {
    await tree.apply(events);
  }
}

/** An endpoint with these logs, whose getters confirm every root and every payment. */
function endpointOf({ logs }: Pick<BrokenLog, "logs">): Chain {
  const scripted = new ScriptedChain();
  const tree = new MerkleTree();
  const roots = [tree.root];
  for (const message of logs) {
    if (message.kind === "deposit" && isFieldElement(message.commitment)) {
      tree.append(message.commitment);
      roots.unshift(tree.root);
    }
    scripted.add(poolAddress, { from: testAddress(1), logs: [toLogBody(message, scripted.chainTime)] });
  }
  scripted.getters.get_root_history = () => [{
    type: "tuple",
    items: Array.from({ length: ROOT_HISTORY_SIZE }, (_, i) => int(roots[i] ?? 0n)),
  }];
  scripted.getters.getNextIndex = () => [int(1 << 20)];
  for (const name of ["getIsSpent", "getIsSpentBy"]) scripted.getters[name] = () => [int(-1)];
  return scripted.chain;
}

for (const [name, { versions, hasTree, read }] of Object.entries(readers)) {
  for (const broken of [...brokenLogs, ...hasTree ? wrongRoots : []]) {
    if (!versions.includes(broken.version)) continue;
    Deno.test(`${name} finds ${broken.what} in the logs of a version ${broken.version} pool`, async () => {
      const found = String(await read(endpointOf(broken), broken.version).catch((error: unknown) => error));
      ok(found.endsWith(broken.detail), found);
    });
  }
}
