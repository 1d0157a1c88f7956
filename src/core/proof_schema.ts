/** A proof as it stands in files that this program writes: of strings alone, whatever a curve says to them. */
import { z } from "zod";

/** See `Groth16Proof`. */
export const proofSchema = z.strictObject({
  pi_a: z.array(z.string()),
  pi_b: z.array(z.array(z.string())),
  pi_c: z.array(z.string()),
  protocol: z.literal("groth16"),
  curve: z.literal("bls12381"),
});
