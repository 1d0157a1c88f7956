/** A scripted pool with one deposited note, and relayers that serve its tree. */
import type { Address } from "@ton/core";
import { poolAddress, ScriptedPool, testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import type { RelayerClient, WithdrawalStatus } from "../../../src/client/relayer/relayer_client.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";

export const recipient = testAddress(3);

/** What a relayer does with a withdrawal. */
export interface RelayerAnswer {
  readonly state: WithdrawalStatus["state"];
  /** Whether the pool pays before the relayer reports the state. */
  readonly pays?: boolean;
  readonly submission?: Error;
  readonly status?: Error;
}

/** The requests that matter are recorded in order. */
export function openRelayerScene() {
  const note = createNote({ asset: "native", amount: "10", network: "localnet" });
  const scene = new ScriptedPool({ kind: 0, denomination: 10_000_000_000n });
  scene.deposit(note.commitment);
  const requests: string[] = [];
  const { getIsSpent } = scene.getters;
  scene.getters.getIsSpent = (...args) => {
    requests.push("is spent");
    return getIsSpent(...args);
  };
  const pay = () => {
    const { nullifierHash } = note;
    scene.spent.add(nullifierHash);
    const log = { nullifierHash, fee: 1n, refund: 0n, recipient, relayer: testAddress(2) };
    scene.add(poolAddress, { from: testAddress(2), logs: [withdrawalLog(log)] });
  };
  const relayerOf = (baseUrl: string, answer: RelayerAnswer) => {
    const relayer = {
      baseUrl,
      withTimeout: () => relayer,
      status: () => Promise.resolve({ network: "localnet", relayerAddress: testAddress(2) }),
      feeFloor: () => Promise.resolve(1n),
      treeRoot: () => Promise.resolve(scene.tree.root),
      async *treeCommitments(_pool: Address, from: number) {
        requests.push(`${baseUrl} leaves from ${from}`);
        await Promise.resolve();
        yield Array.from({ length: scene.tree.size - from }, (_, i) => scene.tree.leaf(from + i));
      },
      withdraw() {
        requests.push(`${baseUrl} withdraw`);
        return answer.submission ? Promise.reject(answer.submission) : Promise.resolve();
      },
      withdrawalStatus() {
        requests.push(`${baseUrl} status`);
        if (answer.status) return Promise.reject(answer.status);
        if (answer.pays) pay();
        return Promise.resolve({ state: answer.state });
      },
    } as unknown as RelayerClient;
    return relayer;
  };
  return { scene, note, pool: new Pool(scene.chain, poolAddress), requests, relayerOf, pay };
}
