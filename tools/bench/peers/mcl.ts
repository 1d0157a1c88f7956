/**
 * Verifies Groth16 proofs with mcl's pairings: e(A, B) = e(alpha, beta) e(IC, gamma) e(C, delta), as one product.
 */
import mcl from "mcl-wasm";
import type { ProofWithSignals } from "../../../src/core/crypto/groth16.ts";
import type { VerificationKey } from "../../../src/prover/groth16_bytes.ts";

type Numbers = readonly string[];

/**
 * Checks points as our verifier does. The pairing of alpha and beta and the lines of gamma and delta are precomputed.
 */
export async function mclVerifier(key: VerificationKey): Promise<(made: ProofWithSignals) => boolean> {
  await mcl.init(mcl.BLS12_381);
  mcl.verifyOrderG1(true); // setStr throws for points outside the groups
  mcl.verifyOrderG2(true);
  const g1 = ([x, y]: Numbers) => {
    const point = new mcl.G1();
    point.setStr(`1 ${x} ${y}`, 10);
    return point;
  };
  const g2 = ([x, y]: readonly Numbers[]) => {
    const point = new mcl.G2();
    point.setStr(`1 ${[...x, ...y].join(" ")}`, 10);
    return point;
  };
  const fr = (signal: string) => {
    const scalar = new mcl.Fr();
    scalar.setStr(signal, 10);
    return scalar;
  };
  const alphaBeta = mcl.pairing(g1(key.vk_alpha_1), g2(key.vk_beta_2));
  const gamma = new mcl.PrecomputedG2(g2(key.vk_gamma_2));
  const delta = new mcl.PrecomputedG2(g2(key.vk_delta_2));
  const [constant, ...inputs] = key.IC.map(g1);
  return ({ proof: { pi_a, pi_b, pi_c }, publicSignals }) => {
    const sum = mcl.add(constant, mcl.mulVec(inputs, publicSignals.map(fr)));
    const loops = mcl.mul(
      mcl.millerLoop(g1(pi_a), g2(pi_b)),
      mcl.precomputedMillerLoop2(mcl.neg(sum), gamma, mcl.neg(g1(pi_c)), delta),
    );
    return mcl.finalExp(loops).isEqual(alphaBeta);
  };
}
