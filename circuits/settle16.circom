pragma circom 2.2.2;

include "merkle.circom";
include "generated/zeros.circom";

// ── Root of a chunk ─────────────────────────────────────────────────────────
// Proves: leaves hash to root as a full subtree of the given height.
// Without it: the chunk's leaves have nothing to do with the tree.
template SubtreeRoot(height) {
    var width = 1 << height;
    signal input leaves[width];
    signal output root;

    // Nodes from the root down: the children of node i are 2i + 1 and 2i + 2, and the last `width` nodes are the leaves.
    signal node[2 * width - 1];
    component hashers[width - 1];
    for (var i = 0; i < width; i++) {
        node[width - 1 + i] <== leaves[i];
    }
    for (var i = width - 2; i >= 0; i--) {
        hashers[i] = Poseidon(2);
        hashers[i].in[0] <== node[2 * i + 1];
        hashers[i].in[1] <== node[2 * i + 2];
        node[i] <== hashers[i].out;
    }
    root <== node[0];
}

// Settlement of a version 2 pool: newRoot is the root of the tree under oldRoot after the next `count` queued commitments
// fill the slots [first, first + count) of one chunk, 2^height neighbouring leaves, and nothing else changes. The pool
// itself checks that oldRoot is its newest root, that the batch starts at its first unsettled commitment and has at least
// one, that fresh holds these commitments, that settler is the sender's, and that every signal is below r.
// Public signals, in order: oldRoot, newRoot, span = (chunk * 2^height + first) * 512 + count, settler, and fresh: each
// slot's commitment, or 0 for a slot that this batch does not fill.
template Settle(levels, height) {
    var width = 1 << height;
    signal input oldRoot;
    signal input newRoot;
    signal input span;
    signal input settler;
    signal input fresh[width];

    // The chunk's leaves after the batch. Slots that stay empty may have any value here.
    signal input leaves[width];
    signal input pathElements[levels - height];

    // ── Place ───────────────────────────────────────────────────────────────
    // Proves: chunkBits is the binary form of chunk; isOld is 1 exactly for the chunk's slots before the batch; isFilled is
    // 1 exactly for the slots before the batch's end; the batch does not end before it starts. These words and bits are
    // hints (<--): span determines them, because chunk < 2^(levels - height), first < 2^height <= 511 and
    // count <= 2^height.
    // Without it: a settler omits a queued commitment, fills another slot, or overwrites notes.
    signal chunkBits[levels - height];
    signal isOld[width];
    signal isFilled[width];
    var start = span \ 512;
    var count = span % 512;
    var chunk = 0;
    for (var i = 0; i < levels - height; i++) {
        chunkBits[i] <-- (start >> (height + i)) & 1;
        chunkBits[i] * (chunkBits[i] - 1) === 0;
        chunk += chunkBits[i] * (1 << i);
    }
    var first = 0;
    var end = 0;
    for (var i = 0; i < width; i++) {
        isOld[i] <-- i < start % width ? 1 : 0;
        isFilled[i] <-- i < start % width + count ? 1 : 0;
        isOld[i] * (isOld[i] - 1) === 0;
        isFilled[i] * (isFilled[i] - 1) === 0;
        isOld[i] * (1 - isFilled[i]) === 0;
        if (i > 0) {
            isOld[i] * (1 - isOld[i - 1]) === 0;
            isFilled[i] * (1 - isFilled[i - 1]) === 0;
        }
        first += isOld[i];
        end += isFilled[i];
    }
    isOld[width - 1] === 0;
    span === (chunk * width + first) * 512 + end - first;

    // ── Batch ───────────────────────────────────────────────────────────────
    // Proves: each slot that the batch fills has the commitment in the pool's list, and the list has 0 for other slots.
    // Without it: a settler inserts their own commitments into the tree in place of the paid ones.
    for (var i = 0; i < width; i++) {
        fresh[i] === (isFilled[i] - isOld[i]) * leaves[i];
    }

    // ── Roots ───────────────────────────────────────────────────────────────
    // Proves: the old slots with empty ones after them hash to oldRoot, the filled slots with empty ones after them to
    // newRoot, along one path, so every other leaf stays as it is.
    // Without it: a settler replaces the whole tree by one with notes that were never paid for.
    component before = SubtreeRoot(height);
    component after = SubtreeRoot(height);
    for (var i = 0; i < width; i++) {
        before.leaves[i] <== ZEROS(0) + isOld[i] * (leaves[i] - ZEROS(0));
        after.leaves[i] <== ZEROS(0) + isFilled[i] * (leaves[i] - ZEROS(0));
    }
    component oldPath = MerkleRoot(levels - height);
    component newPath = MerkleRoot(levels - height);
    oldPath.leaf <== before.root;
    newPath.leaf <== after.root;
    for (var i = 0; i < levels - height; i++) {
        oldPath.pathElements[i] <== pathElements[i];
        newPath.pathElements[i] <== pathElements[i];
        oldPath.pathIndices[i] <== chunkBits[i];
        newPath.pathIndices[i] <== chunkBits[i];
    }
    oldPath.root === oldRoot;
    newPath.root === newRoot;

    // ── Settler ─────────────────────────────────────────────────────────────
    // Proves nothing about the value, but puts it into a constraint, so that no optimiser can drop it.
    // Without it: an observer of the mempool sends the same proof under their own address and takes the reward.
    signal settlerSquare <== settler * settler;
}

component main {public [oldRoot, newRoot, span, settler, fresh]} = Settle(20, 4);
