import "../../../src/ops/ceremony/arithmetic/worker.ts";
