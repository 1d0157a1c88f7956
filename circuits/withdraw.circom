pragma circom 2.2.2;

include "merkle.circom";

// Withdrawal: the prover knows the secrets of a note in the tree, and has fixed each payee and amount. The pool itself
// checks that the root is one of its last 30, that the nullifier hash is new, and that every signal is below r.
// Public signals, in order: root, nullifierHash, recipient, relayer, fee, refund.
template Withdraw(levels) {
    signal input root;
    signal input nullifierHash;
    signal input recipient;
    signal input relayer;
    signal input fee;
    signal input refund;

    signal input nullifier;
    signal input secret;
    signal input pathElements[levels];
    signal input pathIndices[levels];

    // ── Nullifier hash ──────────────────────────────────────────────────────
    // Proves: nullifierHash = poseidon1(nullifier).
    // Without it: one note is spent under any number of nullifier hashes, and the pool pays each.
    component nullifierHasher = Poseidon(1);
    nullifierHasher.in[0] <== nullifier;
    nullifierHasher.out === nullifierHash;

    // ── Path bits ───────────────────────────────────────────────────────────
    // Proves: each pathIndices[i] is 0 or 1. Without it: another value hashes a mix of a node and its sibling, and an
    // unpaid leaf hashes to a root of the pool.
    for (var i = 0; i < levels; i++) {
        pathIndices[i] * (pathIndices[i] - 1) === 0;
    }

    // ── Membership ──────────────────────────────────────────────────────────
    // Proves: poseidon2(nullifier, secret) is a leaf under root. Without it: anyone withdraws an invented note.
    component commitmentHasher = Poseidon(2);
    commitmentHasher.in[0] <== nullifier;
    commitmentHasher.in[1] <== secret;

    component tree = MerkleRoot(levels);
    tree.leaf <== commitmentHasher.out;
    for (var i = 0; i < levels; i++) {
        tree.pathElements[i] <== pathElements[i];
        tree.pathIndices[i] <== pathIndices[i];
    }
    tree.root === root;

    // ── Payment ─────────────────────────────────────────────────────────────
    // Proves nothing about the four values, but puts each into a constraint, so that no optimiser can drop it.
    // Without it: an observer of the mempool replaces the unbound signal in a finished proof, and sends the note's value
    // to their own address.
    signal recipientSquare <== recipient * recipient;
    signal relayerSquare <== relayer * relayer;
    signal feeSquare <== fee * fee;
    signal refundSquare <== refund * refund;
}

component main {public [root, nullifierHash, recipient, relayer, fee, refund]} = Withdraw(20);
