pragma circom 2.2.2;

include "merkle.circom";
include "generated/zeros.circom";

// Deposit: newRoot is the root of the tree under prevRoot after `commitment` replaces the empty leaf at `leafIndex`, and
// nothing else changes. So the pool appends to a tree of 2^20 leaves without hashing. The pool itself checks that prevRoot
// is its current root and leafIndex its next free leaf. Public signals, in order: prevRoot, newRoot, commitment, leafIndex.
template Deposit(levels) {
    signal input prevRoot;
    signal input newRoot;
    signal input commitment;
    signal input leafIndex;

    signal input pathElements[levels];

    // ── Leaf position ───────────────────────────────────────────────────────
    // Proves: bits is the binary form of leafIndex, lowest first, so leafIndex < 2^levels and the paths below lead to that
    // leaf. Without it: a depositor names one leaf to the pool and fills another. The bits are assigned as hints (<--); the
    // two constraints determine them, because 2^levels is far below r.
    signal bits[levels];
    var spelled = 0;
    for (var i = 0; i < levels; i++) {
        bits[i] <-- (leafIndex >> i) & 1;
        bits[i] * (bits[i] - 1) === 0;
        spelled += bits[i] * (1 << i);
    }
    spelled === leafIndex;

    // ── Old root: the leaf was empty ────────────────────────────────────────
    // Proves: the empty leaf hashes to prevRoot along the path, so every sibling is that of the pool's tree.
    // Without it: a depositor invents siblings and replaces the whole tree by one with notes that were never paid for.
    component before = MerkleRoot(levels);
    before.leaf <== ZEROS(0);

    // ── New root: the leaf is the commitment ────────────────────────────────
    // Proves: commitment hashes to newRoot along the same path.
    // Without it: a depositor chooses the pool's next root freely.
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
