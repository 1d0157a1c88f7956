pragma circom 2.2.2;

include "merkle.circom";

// A withdrawal: whoever proves this knows the secrets of a note that lies in the tree, and has fixed who is paid what.
// The public signals are, in this order: root, nullifierHash, recipient, relayer, fee, refund. The pool adds what the
// circuit cannot know: that the root is one of its last 30, the nullifier hash is new, and every signal is below r.
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

    // ── The nullifier hash is this note's ───────────────────────────────────
    // Proves: nullifierHash = poseidon1(nullifier). Without it one note could be spent under any number of nullifier
    // hashes, and the pool would pay each of them.
    component nullifierHasher = Poseidon(1);
    nullifierHasher.in[0] <== nullifier;
    nullifierHasher.out === nullifierHash;

    // ── The path is a path ──────────────────────────────────────────────────
    // Proves: each pathIndices[i] is 0 or 1. Another value would hash a mix of the node and its sibling, and lead
    // leaves that nobody paid for to a root of the pool.
    for (var i = 0; i < levels; i++) {
        pathIndices[i] * (pathIndices[i] - 1) === 0;
    }

    // ── The note is in the tree ─────────────────────────────────────────────
    // Proves: poseidon2(nullifier, secret) is a leaf under `root`. Without it anyone could invent a nullifier.
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

    // ── The payment is fixed ────────────────────────────────────────────────
    // Proves nothing about the four values; it puts each of them into a constraint of its own, so that no optimiser can
    // drop a public signal that nothing else mentions. A signal that is bound to nothing could be exchanged in a
    // finished proof: whoever sees it in the mempool would send the note's value to himself.
    signal recipientSquare <== recipient * recipient;
    signal relayerSquare <== relayer * relayer;
    signal feeSquare <== fee * fee;
    signal refundSquare <== refund * refund;
}

component main {public [root, nullifierHash, recipient, relayer, fee, refund]} = Withdraw(20);
