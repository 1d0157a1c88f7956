pragma circom 2.2.2;

include "merkle.circom";

// Withdrawal from a version 2 pool: as withdraw.circom, but the nullifier hash also covers the leaf's place. A commitment
// that was deposited twice is therefore two notes, each withdrawn once, and the pool need not refuse the second deposit.
// The pool itself checks that the root is in its history, that the nullifier hash is new, and that every signal is below r.
// Public signals, in order: root, nullifierHash, recipient, relayer, fee, refund.
template Withdraw2(levels) {
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

    // ── Path bits ───────────────────────────────────────────────────────────
    // Proves: each pathIndices[i] is 0 or 1, so leafIndex is the number below 2^levels with these bits, lowest first.
    // Without it: another value hashes a mix of a node and its sibling, and an unpaid leaf hashes to a root of the
    // pool.
    var leafIndex = 0;
    for (var i = 0; i < levels; i++) {
        pathIndices[i] * (pathIndices[i] - 1) === 0;
        leafIndex += pathIndices[i] * (1 << i);
    }

    // ── Nullifier hash ──────────────────────────────────────────────────────
    // Proves: nullifierHash = poseidon2(nullifier, leafIndex), for the leaf that the path below starts at.
    // Without it: one note is spent under any number of nullifier hashes, and the pool pays each.
    component nullifierHasher = Poseidon(2);
    nullifierHasher.in[0] <== nullifier;
    nullifierHasher.in[1] <== leafIndex;
    nullifierHasher.out === nullifierHash;

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

component main {public [root, nullifierHash, recipient, relayer, fee, refund]} = Withdraw2(20);
