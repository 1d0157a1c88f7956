import "../../../src/ops/ceremony/arithmetic_worker.ts";
