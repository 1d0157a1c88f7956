pragma circom 2.2.2;

include "merkle.circom";
include "generated/zeros.circom";

// A deposit: the new root is the old one with `commitment` put into the empty leaf at `leafIndex`, and nothing else
// changed. So the pool appends to a tree of 2^20 leaves without hashing. The public signals are, in this order: prevRoot,
// newRoot, commitment, leafIndex. The pool adds that prevRoot is its current root and leafIndex its next free leaf.
template Deposit(levels) {
    signal input prevRoot;
    signal input newRoot;
    signal input commitment;
    signal input leafIndex;

    signal input pathElements[levels];

    // ── The leaf's place ────────────────────────────────────────────────────
    // Proves: bits are 0 or 1 and spell leafIndex, least significant first, so leafIndex < 2^levels and the path below
    // leads to that leaf and to no other. Without it a depositor could name one leaf to the pool and fill another. The
    // bits are hints (<--); the two constraints leave them no freedom, because 2^levels is far below r.
    signal bits[levels];
    var spelled = 0;
    for (var i = 0; i < levels; i++) {
        bits[i] <-- (leafIndex >> i) & 1;
        bits[i] * (bits[i] - 1) === 0;
        spelled += bits[i] * (1 << i);
    }
    spelled === leafIndex;

    // ── The leaf was empty ──────────────────────────────────────────────────
    // Proves: the empty leaf hashes to prevRoot along the path. It also fixes every sibling: without it a depositor
    // could bring siblings of his own and replace the whole tree by one that holds notes nobody paid for.
    component before = MerkleRoot(levels);
    before.leaf <== ZEROS(0);

    // ── The leaf is the commitment ──────────────────────────────────────────
    // Proves: along the very same path, commitment hashes to newRoot. Without it the depositor could choose the pool's
    // next root.
    component after = MerkleRoot(levels);
    after.leaf <== commitment;

    for (var i = 0; i < levels; i++) {
        before.pathElements[i] <== pathElements[i];
        before.pathIndices[i] <== bits[i];
        after.pathElements[i] <== pathElements[i];
        after.pathIndices[i] <== bits[i];
    }
    before.root === prevRoot;
    after.root === newRoot;
}

component main {public [prevRoot, newRoot, commitment, leafIndex]} = Deposit(20);
