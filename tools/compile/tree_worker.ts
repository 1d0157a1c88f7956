/** Entry of the tree's worker. */
import "../../src/tree/tree_worker.ts";
