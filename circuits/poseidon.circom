pragma circom 2.2.2;

include "generated/poseidon_constants.circom";

// Poseidon over the scalar field of BLS12-381 (Grassi et al., https://eprint.iacr.org/2019/458): alpha 5, 8 full rounds
// around 56 partial ones, width t = inputs + 1. The state starts as (0, inputs...); the hash is element 0 of the last
// state. `deno task poseidon:params` generates the constants and matrices.

// ── S-box ───────────────────────────────────────────────────────────────────
// Proves: out = in^5, with one constraint for each multiplication.
// Without it (or with a bare <-- in place of <==): a prover chooses the output, and so the hash.
template PoseidonSbox() {
    signal input in;
    signal output out;

    signal square <== in * in;
    signal fourth <== square * square;
    out <== fourth * in;
}

// ── Hash ────────────────────────────────────────────────────────────────────
// Proves: out is the hash of the inputs. Each round adds its constants, applies the S-box to the whole state (full round)
// or to element 0 (partial round), and multiplies by the MDS matrix; sums cost no constraint.
// Without it: the inputs do not determine the output, and one commitment opens to many notes.
template Poseidon(inputs) {
    signal input in[inputs];
    signal output out;

    var width = inputs + 1;
    var full = POSEIDON_FULL_ROUNDS();
    var partial = POSEIDON_PARTIAL_ROUNDS();
    var rounds = full + partial;
    var constants[rounds * width];
    var matrix[width][width];
    if (inputs == 1) {
        constants = POSEIDON_T2_C();
        matrix = POSEIDON_T2_M();
    } else {
        assert(inputs == 2);
        constants = POSEIDON_T3_C();
        matrix = POSEIDON_T3_M();
    }

    component sbox[rounds][width];
    signal state[rounds + 1][width];

    state[0][0] <== 0;
    for (var i = 0; i < inputs; i++) {
        state[0][i + 1] <== in[i];
    }

    for (var round = 0; round < rounds; round++) {
        var isFull = round < full / 2 || round >= full / 2 + partial;
        var substituted[width];
        for (var i = 0; i < width; i++) {
            substituted[i] = state[round][i] + constants[round * width + i];
            if (isFull || i == 0) {
                sbox[round][i] = PoseidonSbox();
                sbox[round][i].in <== substituted[i];
                substituted[i] = sbox[round][i].out;
            }
        }
        for (var i = 0; i < width; i++) {
            var mixed = 0;
            for (var j = 0; j < width; j++) {
                mixed += matrix[i][j] * substituted[j];
            }
            state[round + 1][i] <== mixed;
        }
    }

    out <== state[rounds][0];
}
