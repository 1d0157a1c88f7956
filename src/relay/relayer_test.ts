import { deepEqual } from "node:assert/strict";
import { memoryStore } from "../../testkit/relayer/memory_store.ts";
import { SeededRandom } from "../../testkit/random/seeded_random.ts";
import { int } from "../../testkit/simulation/scripted_chain.ts";
import { poolAddress, ScriptedPool, testAddress } from "../../testkit/simulation/scripted_pool.ts";
import { SimulatedProcess } from "../../testkit/simulation/simulated_process.ts";
import { VirtualTime } from "../../testkit/simulation/virtual_time.ts";
import { CHUNK_SLOTS } from "../core/crypto/groth16.ts";
import { Problem } from "../core/errors/problem.ts";
import { MerkleTree } from "../core/tree/merkle_tree.ts";
import { settlementEnd, type SettlementInput } from "../core/tree/settlement.ts";
import { rootLog } from "../telemetry/log.ts";
import { loadPoolCode } from "../ton/pool/state_init.ts";
import { startRelayer } from "./relayer.ts";
import type { SettleMode } from "./settler/settler.ts";

const DENOMINATION = 10_000_000_000n;
const START_MS = 1_700_000_000_000;

interface Scene {
  readonly settle?: SettleMode;
  readonly canProve: boolean;
  /** Code hash in the registry. Default: that of the pool's code. */
  readonly listedCodeHash?: string;
}

async function relayerBesideQueue({ settle, canProve, listedCodeHash }: Scene) {
  const time = new VirtualTime(new SeededRandom(1), START_MS);
  const scene = new ScriptedPool({ kind: 2, denomination: DENOMINATION });
  Object.defineProperty(scene, "now", { get: () => time.now() - START_MS });
  const { code, codeHash } = loadPoolCode("native2");
  scene.accounts[poolAddress.toRawString()] = { code };
  scene.accounts[testAddress(2).toRawString()] = { balance: 100n * DENOMINATION }; // the relayer's wallet
  let infoReads = 0;
  Object.assign(scene.getters, {
    getSettled: () => [int(0)],
    get_settle_info: () => {
      infoReads++;
      return [0, 0, 0, 0, 0, 1].map(int);
    },
  });
  for (let i = 1n; i <= CHUNK_SLOTS; i++) scene.deposit(i);
  const ends: number[] = [];
  const proveSettlement = (input: SettlementInput) => {
    ends.push(settlementEnd(input));
    return Promise.reject(new Problem("internal")); // nothing is to be sent
  };
  const relayer = startRelayer({
    config: {
      network: "testnet",
      batchMs: 0,
      fee: { bps: 50, minNano: 1n },
      endpoint: { apiKey: "key" },
      ...settle && { settle },
    },
    chain: scene.chain,
    wallet: scene.wallet(testAddress(2)),
    store: memoryStore({ now: () => time.now(), shared: false })(),
    prover: { verify: () => Promise.resolve(true), ...canProve && { proveSettlement } },
    vkeyHashes: { 2: "keys" },
    deployments: {
      network: "testnet",
      pools: new Map([["native-10-v2", {
        address: poolAddress,
        asset: "native",
        amount: "10",
        denomination: DENOMINATION,
        version: 2,
        deployedSeqno: 1,
        codeHash: listedCodeHash ?? codeHash,
        vkeyHash: "keys",
        owner: null,
        feeMin: 1n,
      }]]),
    },
    clock: new SimulatedProcess().clock(time),
    log: rootLog(),
  });
  await time.run(() => false, START_MS + 60_000);
  const { ready } = relayer.readiness();
  const root = await Promise.try(() => relayer.root(poolAddress)).catch(({ code }: Problem) => code);
  await relayer.close();
  return { ready, root, ends: [...new Set(ends)], infoReads };
}

Deno.test("a relayer that is configured to settle and can prove settlements proves the waiting deposits", async () => {
  const { ready, root, ends } = await relayerBesideQueue({ settle: "eager", canProve: true });
  deepEqual({ ready, root, ends }, { ready: true, root: new MerkleTree().root, ends: [CHUNK_SLOTS] });
});

for (
  const [claim, options] of [
    ["that is not configured to settle", { canProve: true }],
    ["whose prover cannot prove settlements", { settle: "eager", canProve: false }],
  ] as const
) {
  Deno.test(`a relayer ${claim} does not ask the pool for its settlements`, async () => {
    const { ready, ends, infoReads } = await relayerBesideQueue(options);
    deepEqual({ ready, ends, infoReads }, { ready: true, ends: [], infoReads: 0 });
  });
}

Deno.test("a relayer does not serve a pool whose code differs from the registry's", async () => {
  const { ready, root } = await relayerBesideQueue({ canProve: false, listedCodeHash: "other" });
  deepEqual({ ready, root }, { ready: false, root: "unknown_pool" });
});
