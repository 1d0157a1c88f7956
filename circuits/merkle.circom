pragma circom 2.2.2;

include "poseidon.circom";

// The path from a leaf to a root: shared by withdraw.circom and deposit.circom.

// ── Two siblings, in order ──────────────────────────────────────────────────
// Proves: (left, right) is (current, sibling) when bit is 0 and (sibling, current) when it is 1. One product serves both
// sides. The bit is not constrained here: with another value the pair would be a mix of the two, and a path could be bent
// to a root it does not lead to, so whoever uses this constrains it.
template OrderedPair() {
    signal input current;
    signal input sibling;
    signal input bit;
    signal output left;
    signal output right;

    signal swap <== (sibling - current) * bit;
    left <== current + swap;
    right <== sibling - swap;
}

// ── The way up ──────────────────────────────────────────────────────────────
// Proves: root is what `leaf` hashes to along `pathElements`, from the leaf level up; pathIndices[i] is 1 when the node
// at level i is a right child. Callers constrain every pathIndices[i] to 0 or 1 (see OrderedPair) and compare the root.
template MerkleRoot(levels) {
    signal input leaf;
    signal input pathElements[levels];
    signal input pathIndices[levels];
    signal output root;

    component pairs[levels];
    component nodes[levels];
    signal current[levels + 1];

    current[0] <== leaf;
    for (var i = 0; i < levels; i++) {
        pairs[i] = OrderedPair();
        pairs[i].current <== current[i];
        pairs[i].sibling <== pathElements[i];
        pairs[i].bit <== pathIndices[i];

        nodes[i] = Poseidon(2);
        nodes[i].in[0] <== pairs[i].left;
        nodes[i].in[1] <== pairs[i].right;
        current[i + 1] <== nodes[i].out;
    }
    root <== current[levels];
}
