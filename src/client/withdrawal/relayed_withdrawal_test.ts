import { deepEqual, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { createNote } from "../../core/protocol/note.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Clock } from "../../core/time.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Pool } from "../../ton/pool/pool.ts";
import type { RelayerClient } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import { type RelayedWithdrawalRequest, withdrawViaRelayers } from "./relayed_withdrawal.ts";

const address = (byte: number) => new Address(0, Buffer.alloc(32, byte));
const note = createNote({ asset: "native", amount: "10", network: "localnet" });
const tree = new MerkleTree();
tree.append(note.commitment);

const pool = {
  address: address(1),
  chain: { transactions: () => Promise.resolve([]) },
  getPoolInfo: () =>
    Promise.resolve({ assetKind: "native", version: 1, jettonMaster: null, jettonWallet: null }),
  getDenomination: () => Promise.resolve(10_000_000_000n),
  getRootHistory: () => Promise.resolve([tree.root]),
  getIsSpent: () => Promise.resolve(false),
} as unknown as Pool;

type Answer = "stale_root" | "expired" | "failed";

function relayerWith(baseUrl: string, submitted: string[], ...answers: Answer[]): RelayerClient {
  let current: Answer;
  const relayer = {
    baseUrl,
    withTimeout: () => relayer,
    status: () => Promise.resolve({ network: "localnet", relayerAddress: address(2) }),
    feeFloor: () => Promise.resolve(50_000_000n),
    treePath: () => Promise.resolve({ ...tree.path(0), root: tree.root }),
    withdraw: () => {
      submitted.push(baseUrl);
      current = answers.length > 1 ? answers.shift()! : answers[0];
      return current === "stale_root"
        ? Promise.reject(new RelayerProblem("stale_root", baseUrl, {}))
        : Promise.resolve({ state: "waiting" });
    },
    withdrawalStatus: () => Promise.resolve({ state: current }),
  } as unknown as RelayerClient;
  return relayer;
}

const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };
const request = {
  ...{ pool, note, clock, network: "localnet", recipient: address(3), useRelayerPath: true },
  prover: { proveWithdraw: () => Promise.resolve({ proof: {}, publicSignals: [] }) } as unknown as Prover,
} satisfies RelayedWithdrawalRequest;

const cases: [what: string, answers: Answer[], proofs: number][] = [
  ["refuses each root as stale", ["stale_root"], 3],
  ["reports each withdrawal as expired", ["expired"], 3],
  ["does one and then the other", ["stale_root", "expired"], 3],
  ["reports the withdrawal as failed", ["failed"], 1],
  ["reports it as expired and then as failed", ["expired", "failed"], 2],
];
for (const [what, answers, proofs] of cases) {
  Deno.test(`a relayer that ${what} gets ${proofs} proofs, and then the next relayer is tried`, async () => {
    const submitted: string[] = [];
    const quotes = [
      relayerWith("first", submitted, ...answers),
      relayerWith("second", submitted, "failed"),
    ].map((relayer) => ({ relayer, fee: 50_000_000n }));
    await rejects(withdrawViaRelayers(quotes, request, { clock }), { code: "relayer_unavailable" });
    deepEqual(submitted, [...Array(proofs).fill("first"), "second"]);
  });
}
