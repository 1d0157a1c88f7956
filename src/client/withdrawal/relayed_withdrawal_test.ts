import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { poolAddress, ScriptedPool } from "../../../testkit/simulation/scripted_pool.ts";
import { withdrawalLog } from "../../../testkit/simulation/transactions.ts";
import { Problem } from "../../core/errors/problem.ts";
import { createNote } from "../../core/protocol/note.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Prover } from "../../prover/prover.ts";
import { Pool } from "../../ton/pool/pool.ts";
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

type Answer = "stale_root" | "expired" | "failed" | "confirmed" | "superseded";
const FLOOR = 50_000_000n;

function relayerWith(baseUrl: string, submitted: string[], ...answers: Answer[]): RelayerClient {
  let current: Answer;
  const relayer = {
    baseUrl,
    withTimeout: () => relayer,
    status: () => Promise.resolve({ network: "localnet", relayerAddress: address(2) }),
    feeFloor: () => Promise.resolve(FLOOR),
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
    ].map((relayer) => ({ relayer, fee: FLOOR }));
    await rejects(withdrawViaRelayers(quotes, request, { clock }), { code: "relayer_unavailable" });
    deepEqual(submitted, [...Array(proofs).fill("first"), "second"]);
  });
}

function payingScene(submitted: readonly string[], paidTo = address(3)) {
  const scene = new ScriptedPool({ kind: 0, denomination: 10_000_000_000n });
  scene.deposit(note.commitment);
  const log = {
    nullifierHash: note.nullifierHash,
    fee: 70n,
    refund: 0n,
    recipient: paidTo,
    relayer: address(2),
  };
  const { hash: tx } = scene.add(poolAddress, { from: address(2), logs: [withdrawalLog(log)] });
  scene.getters.getIsSpent = () => [int(submitted.length > 0 ? -1 : 0)];
  return { pool: new Pool(scene.chain, poolAddress), tx };
}

function withdraw(
  relayers: readonly RelayerClient[],
  change: Partial<RelayedWithdrawalRequest> = {},
  fee = FLOOR,
) {
  const failovers: string[] = [];
  const result = withdrawViaRelayers(relayers.map((relayer) => ({ relayer, fee })), {
    ...request,
    ...change,
    onFailover: ({ baseUrl }, reason) => void failovers.push(`${baseUrl}: ${reason}`),
  }, { clock });
  return { result, failovers };
}

/** Rejects with one reason for each relayer that was tried. */
async function rejectsWith(result: Promise<unknown>, code: string, ...details: RegExp[]) {
  await rejects(result, (error) => {
    const { errors = [], code: found } = error as Problem;
    equal(found, code);
    deepEqual(errors.map(({ detail }, i) => details[i]?.test(detail)), details.map(() => true));
    return true;
  });
}

Deno.test("a payment that both relayer and pool report ends the withdrawal, and no other relayer is queried", async () => {
  const submitted: string[] = [];
  const { pool, tx } = payingScene(submitted);
  const first = relayerWith("first", submitted, "confirmed");
  const { result } = withdraw([first, relayerWith("second", submitted, "confirmed")], { pool });
  const { relayer, status, payment } = await result;
  deepEqual([relayer, status, payment.tx, submitted], [first, { state: "confirmed" }, tx, ["first"]]);
});

for (const state of ["confirmed", "superseded"] as const) {
  Deno.test(`a relayer's ${state} does not count while the pool reports the note as unspent`, async () => {
    const submitted: string[] = [];
    const { result, failovers } = withdraw([
      relayerWith("first", submitted, state),
      relayerWith("second", submitted, "failed"),
    ]);
    const lie = /reports the note as paid, but the pool does not/;
    await rejectsWith(result, "relayer_unavailable", lie, /has failed/);
    deepEqual([submitted, failovers.length], [["first", "second"], 1]);
  });
}

const ends: [state: Answer, paidTo: number, expected: string][] = [
  ["confirmed", 3, "confirmed"],
  ["confirmed", 4, "superseded"],
  ["failed", 3, "confirmed"],
  ["failed", 4, "superseded"],
  ["superseded", 4, "superseded"],
];
for (const [state, paidTo, expected] of ends) {
  Deno.test(`a spent note paid to ${paidTo === 3 ? "the" : "another"} recipient is ${expected} whatever relayers report (${state})`, async () => {
    const submitted: string[] = [];
    const { pool, tx } = payingScene(submitted, address(paidTo));
    const { status, payment } = await withdraw([relayerWith("first", submitted, state)], { pool }).result;
    deepEqual([status.state, payment.tx, payment.fee], [expected, tx, 70n]);
  });
}

const offers: [
  name: string,
  floor: bigint,
  change: Partial<RelayedWithdrawalRequest>,
  code: string,
  detail?: RegExp,
][] = [
  [
    "above a tenth of the note",
    1_000_000_001n,
    {},
    "fee_above_limit",
    /1\.000000001 .*above the limit of 1 /,
  ],
  [
    "above the given limit",
    FLOOR,
    { maxFee: FLOOR - 1n },
    "fee_above_limit",
    /above the limit of 0\.049999999 /,
  ],
  [
    "of the whole note",
    10_000_000_000n,
    { maxFee: 10_000_000_000n },
    "relayer_unavailable",
    /not below the note's amount/,
  ],
  [
    "that the caller raises to the whole note",
    FLOOR,
    { chooseFee: () => 10_000_000_000n },
    "fee_not_below_denomination",
  ],
];
for (const [name, floor, change, code, detail] of offers) {
  Deno.test(`a fee ${name} is not paid`, async () => {
    const submitted: string[] = [];
    const relayer = Object.assign(relayerWith("first", submitted, "failed"), {
      feeFloor: () => Promise.resolve(floor),
    });
    await rejectsWith(withdraw([relayer], change, floor).result, code, ...detail ? [detail] : []);
    deepEqual(submitted, []);
  });
}

Deno.test("a fee of exactly the limit is paid, and the caller may offer more than the floor", async () => {
  const fees: bigint[] = [];
  const submitted: string[] = [];
  const watch = { onProved: (_: unknown, { fee }: { fee: bigint }) => Promise.resolve(void fees.push(fee)) };
  const attempt = (change: object) =>
    withdraw([relayerWith("first", submitted, "failed")], { ...watch, ...change });
  await rejectsWith(attempt({ maxFee: FLOOR }).result, "relayer_unavailable", /has failed/);
  await rejectsWith(
    attempt({ chooseFee: (floor: bigint) => 2n * floor }).result,
    "relayer_unavailable",
    /failed/,
  );
  deepEqual(fees, [FLOOR, 2n * FLOOR]);
});

Deno.test("the limit is the reported reason only if every relayer is too expensive", async () => {
  const submitted: string[] = [];
  const relayers = [relayerWith("first", submitted, "failed"), relayerWith("second", submitted, "failed")];
  const change = { maxFee: 1n };
  await rejectsWith(withdraw(relayers, change).result, "fee_above_limit", /above/, /above/);
  Object.assign(relayers[1], {
    status: () => Promise.resolve({ network: "testnet", relayerAddress: address(2) }),
  });
  await rejectsWith(withdraw(relayers, change).result, "relayer_unavailable", /above/, /it serves testnet/);
});

const skipped: [name: string, relayer: object, fee: bigint, detail: RegExp][] = [
  ["has raised its quoted fee", {}, FLOOR - 1n, /it quoted a fee of 0\.049999999 .* and now asks for 0\.05 /],
  [
    "serves another network",
    { status: () => Promise.resolve({ network: "mainnet", relayerAddress: address(2) }) },
    FLOOR,
    /it serves mainnet/,
  ],
  [
    "has the pool's address",
    { status: () => Promise.resolve({ network: "localnet", relayerAddress: address(1) }) },
    FLOOR,
    /the pool does not pay/,
  ],
];
for (const [name, change, fee, detail] of skipped) {
  Deno.test(`a relayer that ${name} gets no proof`, async () => {
    const submitted: string[] = [];
    const relayer = Object.assign(relayerWith("first", submitted, "failed"), change);
    const { result, failovers } = withdraw([relayer, relayerWith("second", submitted, "failed")], {}, fee);
    await rejectsWith(result, "relayer_unavailable", detail, /./);
    deepEqual([submitted.includes("first"), failovers], [false, []]);
  });
}

Deno.test("the fee is requested by the pool's key if it is known, otherwise by its address", async () => {
  const requests: unknown[] = [];
  const feeFloor = (which: unknown) => Promise.resolve(requests.push(which) > 0 && FLOOR);
  const relayer = Object.assign(relayerWith("first", [], "failed"), { feeFloor });
  await rejectsWith(withdraw([relayer]).result, "relayer_unavailable", /failed/);
  await rejectsWith(withdraw([relayer], { poolKey: "native-10" }).result, "relayer_unavailable", /failed/);
  deepEqual(requests, [pool.address, "native-10"]);
});

Deno.test("a relayer's claim that the request is invalid does not end the withdrawal; this client's own check does", async () => {
  for (
    const [error, code, tried] of [
      [new RelayerProblem("commitment_not_found", "first", {}), "relayer_unavailable", ["second"]],
      [new Problem("commitment_not_found"), "commitment_not_found", []],
    ] as const
  ) {
    const submitted: string[] = [];
    const first = Object.assign(relayerWith("first", submitted, "failed"), {
      treePath: () => Promise.reject(error),
    });
    await rejects(withdraw([first, relayerWith("second", submitted, "failed")]).result, { code });
    deepEqual(submitted, tried);
  }
});

Deno.test("an error of a callback ends the withdrawal before anything is submitted", async () => {
  for (const name of ["approve", "onProved"] as const) {
    const submitted: string[] = [];
    const relayers = [relayerWith("first", submitted, "failed"), relayerWith("second", submitted, "failed")];
    const refusal = new Error("no");
    await rejects(withdraw(relayers, { [name]: () => Promise.reject(refusal) }).result, refusal);
    deepEqual(submitted, []);
  }
});

Deno.test("a recipient that cannot be paid is refused before a relayer is asked", async () => {
  const requests: unknown[] = [];
  const onRelayer = (relayer: unknown) => void requests.push(relayer);
  for (
    const change of [{ recipient: address(1) }, { blockedRecipients: [address(3)] }, {
      recipient: address(0),
    }]
  ) {
    const relayers = [relayerWith("first", [], "failed")];
    await rejects(withdraw(relayers, { ...change, onRelayer }).result, { code: "unpayable_recipient" });
  }
  deepEqual(requests, []);
});
