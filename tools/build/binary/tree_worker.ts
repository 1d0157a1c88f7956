import "../../../src/tree/tree_worker.ts";
