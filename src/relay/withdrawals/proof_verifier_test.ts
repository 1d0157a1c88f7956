import { equal, rejects } from "node:assert/strict";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { ProofVerifier } from "./proof_verifier.ts";

const proof = (x: number): Groth16Proof => ({
  pi_a: [String(x), "2", "1"],
  pi_b: [["1", "2"], ["3", "4"], ["1", "0"]],
  pi_c: ["5", "6", "1"],
  protocol: "groth16",
  curve: "bls12381",
});

function gate() {
  let calls = 0;
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  return { open: resolve, fail: reject, calls: () => calls, verify: () => (calls++, promise) };
}

Deno.test("equal concurrent requests share one verification, different ones do not", async () => {
  const held = gate();
  const verifier = new ProofVerifier(held);
  const answers = [
    verifier.verify("withdraw", proof(1), ["1"]),
    verifier.verify("withdraw", proof(1), ["1"]),
    verifier.verify("withdraw", proof(1), ["2"]),
    verifier.verify("withdraw", proof(2), ["1"]),
  ];
  equal(held.calls(), 3);
  held.open(true);
  for (const answer of answers) equal(await answer, true);
});

Deno.test("a full queue refuses with verification_busy, and accepts requests once it has drained", async () => {
  const held = gate();
  const verifier = new ProofVerifier(held, 2);
  const waiting = [verifier.verify("withdraw", proof(1), []), verifier.verify("withdraw", proof(2), [])];
  await rejects(verifier.verify("withdraw", proof(3), []), { code: "verification_busy" });
  equal(held.calls(), 2);
  held.open(false);
  for (const answer of waiting) equal(await answer, false);
  equal(await verifier.verify("withdraw", proof(3), []), false);
});

Deno.test("a failed verification is not cached", async () => {
  const held = gate();
  const verifier = new ProofVerifier(held, 1);
  const broken = verifier.verify("withdraw", proof(1), []);
  held.fail(new Error("worker died"));
  await rejects(broken, /worker died/);
  await rejects(verifier.verify("withdraw", proof(1), []), /worker died/);
  equal(held.calls(), 2);
});
