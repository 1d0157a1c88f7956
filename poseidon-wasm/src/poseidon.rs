//! The two hashes, as sequences of rows over the constants of `tools/poseidon/`: alpha 5, 8 full rounds, 56 partial
//! rounds, capacity element 0 first, digest element 0. Inputs are 32 big-endian bytes, read modulo r; that they are
//! canonical is the caller's to see to. Outputs are canonical.

use crate::field::{Element, LIMBS, Row, add, constant, dot, fifth, from_bytes, mul, to_bytes};
use crate::generated::constants::*;

/// The hash of one input, in the plain form: two elements, the matrix in every round.
pub fn poseidon1(input: &[u8; 32]) -> [u8; 32] {
    let x = mul(&from_bytes(input), &constant(&RADIX_SQUARED));
    let key = |round: usize, i: usize| constant(&ONE_KEYS[round][i]);
    let mut state = [key(0, 0), add(&x, &key(0, 1))];
    for round in 0..ONE_KEYS.len() {
        state[0] = fifth(&state[0]);
        if is_full(round) {
            state[1] = fifth(&state[1]);
        }
        state = core::array::from_fn(|i| {
            let addend = ONE_KEYS.get(round + 1).map_or([0; LIMBS], |keys| keys[i]);
            dot2([&state[0], &state[1]], &Row { weights: ONE_MIX[i], addend })
        });
    }
    let mut one = [0; LIMBS];
    one[0] = 1;
    to_bytes(&mul(&state[0], &one)) // out of Montgomery form
}

fn is_full(round: usize) -> bool {
    round < 4 || round >= ONE_KEYS.len() - 4
}

/// The hash of two inputs. The partial rounds are a recurrence, derived in `tools/poseidon/recurrence.ts`.
pub fn poseidon2(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    // Round 0, on plain integers; its matrix brings the state into Montgomery form.
    let x = fifth(&add(&from_bytes(left), &constant(&FIRST_KEYS[0])));
    let y = fifth(&add(&from_bytes(right), &constant(&FIRST_KEYS[1])));
    let mut state = FIRST_MIX.each_ref().map(|row| dot2([&x, &y], row));
    for rows in &FULL_BEFORE {
        state = full_round(&state, rows);
    }

    // Partial rounds: y = s^5, s + z, z. Both histories are two deep; the slot of round r - 2 takes round r.
    let x = state.each_ref().map(fifth);
    let mut s = dot3(x.each_ref(), &ENTRY[0]);
    let mut z = [dot3(x.each_ref(), &ENTRY[1]), [0; LIMBS]];
    let mut y = [fifth(&s), [0; LIMBS]];
    s = add(&y[0], &z[0]);
    z[1] = dot4([&x[0], &x[1], &x[2], &y[0]], &SECOND);
    y[1] = fifth(&s);
    s = add(&y[1], &z[1]);
    for rows in STEPS.chunks_exact(2) {
        z[0] = dot4([&z[1], &z[0], &y[1], &y[0]], &rows[0]);
        y[0] = fifth(&s);
        s = add(&y[0], &z[0]);
        z[1] = dot4([&z[0], &z[1], &y[0], &y[1]], &rows[1]);
        y[1] = fifth(&s);
        s = add(&y[1], &z[1]);
    }
    let tail = [&z[1], &z[0], &y[1], &y[0]];
    state = [s, dot4(tail, &EXIT[0]), dot4(tail, &EXIT[1])];

    for rows in &FULL_AFTER {
        state = full_round(&state, rows);
    }
    let x = state.each_ref().map(fifth);
    to_bytes(&dot3(x.each_ref(), &LAST))
}

#[inline(always)]
fn full_round(state: &[Element; 3], rows: &[Row<3>; 3]) -> [Element; 3] {
    let x = state.each_ref().map(fifth);
    rows.each_ref().map(|row| dot3(x.each_ref(), row))
}

// One compiled copy of each width, called rather than inlined: the unrolled kernels are large.
#[inline(never)]
fn dot2(x: [&Element; 2], row: &Row<2>) -> Element {
    dot(x, row)
}

#[inline(never)]
fn dot3(x: [&Element; 3], row: &Row<3>) -> Element {
    dot(x, row)
}

#[inline(never)]
fn dot4(x: [&Element; 4], row: &Row<4>) -> Element {
    dot(x, row)
}
