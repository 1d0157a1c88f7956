/** Schema of a proof in a file that this program writes. It checks the shape, not the curve. */
import * as z from "zod";

export const proofSchema = z.strictObject({
  pi_a: z.array(z.string()),
  pi_b: z.array(z.array(z.string())),
  pi_c: z.array(z.string()),
  protocol: z.literal("groth16"),
  curve: z.literal("bls12381"),
});
