/** Entry of the ceremony's worker. */
import "../../src/ops/ceremony/worker.ts";
