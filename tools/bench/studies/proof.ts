/**
 * Compares proofs and their verification with snarkjs on Node. Ours is everything that a caller waits for: witness,
 * proof and verification of the proof. snarkjs computes the witness too, and does not verify.
 */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import {
  type CircuitName,
  circuitsOfVersion,
  type ProofWithSignals,
} from "../../../src/core/crypto/groth16.ts";
import { createProver, type Prover } from "../../../src/prover/prover.ts";
import { honestDeposit, honestWithdrawal } from "../../../testkit/circuits/circuit_inputs.ts";
import {
  depositProverInput,
  settlementProverInput,
  withdrawProverInput,
} from "../../../testkit/circuits/prover_inputs.ts";
import { mclVerifier } from "../peers/mcl.ts";
import { g1, g2 } from "../peers/noble_points.ts";
import { type NodePeer, openNodePeer } from "../peers/node_peer.ts";
import { measure } from "../comparison.ts";
import {
  artifactPath,
  comparisonStudy,
  type Figure,
  figure,
  type Outcome,
  type Point,
  type Study,
} from "../study.ts";

const LEAF = 7n;
const signals = { withdraw: { ...honestWithdrawal(LEAF) }, deposit: { ...honestDeposit(LEAF) } };

export const prove = {
  withdraw: (prover: Prover) => prover.proveWithdraw(withdrawProverInput(LEAF)),
  deposit: (prover: Prover) => prover.proveDeposit(depositProverInput(LEAF)),
};

/** Converts numbers to decimal strings, as snarkjs reads them from JSON. */
function decimals(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => typeof part === "bigint" ? String(part) : part));
}

/** Measures snarkjs' proof of a circuit. With `singleThread` false it uses a worker per core. */
async function snarkjsProof(node: NodePeer, circuit: CircuitName, singleThread: boolean) {
  const files = { program: artifactPath(`${circuit}.wasm`), zkey: artifactPath(`${circuit}.zkey`) };
  return await node.request("prove", {
    signals: decimals(signals[circuit]),
    ...files,
    singleThread,
  }) as ProofWithSignals;
}

/** Targets: snarkjs' time divided by ours. */
const bounds = {
  withdraw: { single: { plain: 3.2, wide: 5.2 }, all: { plain: 2.6, wide: 3.6 } },
  deposit: { single: { plain: 2.9, wide: 4.9 }, all: {} },
} as const;

function proofStudy(circuit: CircuitName, threads: "single" | "all"): Study {
  const single = threads === "single";
  return comparisonStudy({
    id: `${circuit}-${threads}`,
    about: "The time from the inputs to the proof. Ours includes verifying the proof.",
    title: `Proof of a ${circuit === "withdraw" ? "withdrawal" : circuit}, ${
      single ? "one thread" : "all cores"
    }`,
    operation: "proof",
    rounds: 3,
    targets: { "snarkjs on Node": bounds[circuit][threads] },
    async open(resources) {
      const node = resources.use(await openNodePeer());
      const prover = await openProver(resources, single ? { maxWorkers: 1 } : {});
      const ours = () => prove[circuit](prover);
      const theirs = () => snarkjsProof(node, circuit, single);
      assert.deepEqual((await ours()).publicSignals, (await theirs()).publicSignals);
      return [
        { name: "ours", operations: 1, run: ours },
        { name: "snarkjs on Node", operations: 1, run: theirs },
      ];
    },
  });
}

async function openProver(
  resources: AsyncDisposableStack,
  options: { maxWorkers?: number } = {},
): Promise<Prover> {
  return resources.adopt(await createProver(options), (prover) => prover.close());
}

/** Compares both versions' way of putting commitments into the tree: one deposit, and a settlement of 16. */
const settlement = comparisonStudy({
  id: "settlement-all",
  title: "Proof of a settlement, all cores",
  about:
    "A settlement of 16 deposits of a version 2 pool, compared with a deposit to a version 1 pool. A ratio of 0.625x means that it takes 1.6 times as long.",
  operation: "proof",
  rounds: 3,
  targets: { "our deposit": { plain: 1 / 1.6, wide: 1 / 1.6 } },
  async open(resources) {
    const settler = await openProver(resources);
    return [
      { name: "ours", operations: 1, run: () => settler.proveSettlement(settlementProverInput()) },
      { name: "our deposit", operations: 1, run: () => prove.deposit(settler) },
    ];
  },
});

const { Fp12 } = bls12_381.fields;

/** Verifies Groth16 proofs with noble's pairings: e(A, B) = e(alpha, beta) e(IC, gamma) e(C, delta). */
function nobleVerifier(vkey: Record<string, never>) {
  const [alpha, beta] = [g1(vkey.vk_alpha_1), g2(vkey.vk_beta_2)];
  const [gamma, delta] = [g2(vkey.vk_gamma_2), g2(vkey.vk_delta_2)];
  const ic = (vkey.IC as readonly string[][]).map(g1);
  return ({ proof, publicSignals }: ProofWithSignals): boolean => {
    const inputs = publicSignals.reduce(
      (sum, signal, i) => sum.add(ic[i + 1].multiplyUnsafe(BigInt(signal))),
      ic[0],
    );
    const product = bls12_381.pairingBatch([
      { g1: g1(proof.pi_a).negate(), g2: g2(proof.pi_b) },
      { g1: alpha, g2: beta },
      { g1: inputs, g2: gamma },
      { g1: g1(proof.pi_c), g2: delta },
    ]);
    return Fp12.eql(product, Fp12.ONE);
  };
}

const verification = comparisonStudy({
  id: "verify",
  title: "Verification of a proof",
  about:
    "The proof of a withdrawal, with a key that was loaded before. Ours runs on a worker thread, as in a relayer, and includes the messages to it.",
  operation: "proof",
  rounds: 15,
  targets: { "mcl-wasm": { plain: 1, wide: 1 } },
  async open(resources) {
    const prover = await openProver(resources, { maxWorkers: 1 });
    const node = resources.use(await openNodePeer());
    const vkey = JSON.parse(await Deno.readTextFile(artifactPath("withdraw.vkey.json")));
    const made = await prove.withdraw(prover);
    const noble = nobleVerifier(vkey);
    const mcl = await mclVerifier(vkey);
    const ours = () => prover.verify("withdraw", made.proof, made.publicSignals);
    const theirs = () => node.request("verify", { vkey, ...made });
    const wrong = { ...made, publicSignals: made.publicSignals.with(0, "1") };
    assert.deepEqual([await ours(), await theirs(), noble(made), mcl(made)], [true, true, true, true]);
    assert.deepEqual([noble(wrong), mcl(wrong)], [false, false]);
    return [
      { name: "ours", operations: 1, run: ours },
      { name: "mcl-wasm", operations: 1, run: () => mcl(made) },
      { name: "noble-curves", operations: 1, run: () => noble(made) },
      { name: "snarkjs on Node", operations: 1, run: theirs },
    ];
  },
});

/** Measures proofs by number of workers, up to twice the cores. */
async function byWorkers(): Promise<Outcome> {
  const points: Point[] = [];
  const figures: Figure[] = [];
  for (const circuit of circuitsOfVersion[1]) {
    for (let workers = 1; workers <= 2 * availableParallelism(); workers *= 2) {
      const prover = await createProver({ maxWorkers: workers });
      const contender = { name: circuit, operations: 1, run: () => prove[circuit](prover) };
      const [{ milliseconds: y }] = await measure({ rounds: 3, open: () => [contender] });
      prover.close();
      points.push({ series: circuit, x: workers, y });
      figures.push(figure(`${circuit}, ${workers} worker${workers > 1 ? "s" : ""}`, y, "ms a proof"));
    }
  }
  return { figures, points };
}

export const proofStudies: readonly Study[] = [
  ...circuitsOfVersion[1].flatMap((circuit) => [proofStudy(circuit, "single"), proofStudy(circuit, "all")]),
  settlement,
  verification,
  {
    id: "proof-workers",
    title: "Proofs by workers",
    about: "The median of three runs of the plain build.",
    run: byWorkers,
  },
];
