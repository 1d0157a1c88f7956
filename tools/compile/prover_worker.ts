/** Entry of the prover's worker. */
import "../../src/prover/worker.ts";
