pragma circom 2.2.2;

include "poseidon.circom";

// Merkle paths, for withdraw.circom, withdraw2.circom, deposit.circom and settle16.circom.

// ── Two siblings, in order ──────────────────────────────────────────────────
// Proves: (left, right) is (current, sibling) if bit is 0 and (sibling, current) if bit is 1, with one product for both.
// Without it: the sides are free, and a leaf hashes to any root. Callers must constrain bit to 0 or 1: any other value
// mixes the two nodes, and a path can be bent to a root that it does not lead to.
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

// ── Merkle root ─────────────────────────────────────────────────────────────
// Proves: leaf hashes to root along pathElements, from the leaf up; pathIndices[i] is 1 if the node at level i is a right
// child. Without it: any leaf is in any tree. Callers constrain each pathIndices[i] to 0 or 1, and compare the root.
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
