import "../../../src/prover/prover_worker.ts";
