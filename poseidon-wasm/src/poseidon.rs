//! Poseidon of one and of two inputs, as sequences of rows over the constants that `tools/generate/poseidon/`
//! generates: alpha 5, 8 full rounds, 56 partial rounds. Element 0 is the capacity at first and the digest at the end.
//! Inputs are 32 big-endian bytes, read modulo r; callers check that inputs are below r. Outputs are below r.

use crate::field::{Element, LIMBS, Row, add, constant, dot, fifth, from_bytes, mul, to_bytes};
use crate::generated::constants::*;

/// Hashes one input in the plain form: a state of two elements, with the matrix in every round.
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
            dot2(&state, &Row { weights: ONE_MIX[i], addend })
        });
    }
    let mut one = [0; LIMBS];
    one[0] = 1;
    to_bytes(&mul(&state[0], &one)) // out of Montgomery form
}

fn is_full(round: usize) -> bool {
    round < 4 || round >= ONE_KEYS.len() - 4
}

/// Hashes two inputs. The partial rounds are a recurrence, derived in `tools/generate/poseidon/recurrence.ts`.
pub fn poseidon2(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    // Round 0 works on plain integers; its matrix brings the state into Montgomery form.
    let x = [
        fifth(&add(&from_bytes(left), &constant(&FIRST_KEYS[0]))),
        fifth(&add(&from_bytes(right), &constant(&FIRST_KEYS[1]))),
    ];
    let mut state = [dot2(&x, &FIRST_MIX[0]), dot2(&x, &FIRST_MIX[1]), dot2(&x, &FIRST_MIX[2])];
    for rows in &FULL_BEFORE {
        full_round(&mut state, rows);
    }

    // Partial rounds compute y = s^5, s + z and z. Each result has its own variable until it is two rounds old: if a
    // kernel wrote to a variable that it reads, or to an array that contains it, the compiler would insert a copy.
    let x = fifths(&state);
    let mut s = dot3(&x, &ENTRY[0]);
    let (mut z0, mut y0) = (dot3(&x, &ENTRY[1]), fifth(&s));
    s = add(&y0, &z0);
    let (mut z1, mut y1) = (dot4(&x[0], &x[1], &x[2], &y0, &SECOND), fifth(&s));
    s = add(&y1, &z1);
    let mut z2 = [0; LIMBS];
    for rows in STEPS.as_chunks::<6>().0 {
        partial_round(&mut s, &mut z2, &mut y0, [&z1, &z0], &y1, &rows[0]);
        partial_round(&mut s, &mut z0, &mut y1, [&z2, &z1], &y0, &rows[1]);
        partial_round(&mut s, &mut z1, &mut y0, [&z0, &z2], &y1, &rows[2]);
        partial_round(&mut s, &mut z2, &mut y1, [&z1, &z0], &y0, &rows[3]);
        partial_round(&mut s, &mut z0, &mut y0, [&z2, &z1], &y1, &rows[4]);
        partial_round(&mut s, &mut z1, &mut y1, [&z0, &z2], &y0, &rows[5]);
    }
    let exit = |row| dot4(&z1, &z0, &y1, &y0, row);
    state = [s, exit(&EXIT[0]), exit(&EXIT[1])];

    for rows in &FULL_AFTER {
        full_round(&mut state, rows);
    }
    to_bytes(&dot3(&fifths(&state), &LAST))
}

#[inline(always)]
fn fifths(state: &[Element; 3]) -> [Element; 3] {
    [fifth(&state[0]), fifth(&state[1]), fifth(&state[2])]
}

#[inline(always)]
fn full_round(state: &mut [Element; 3], rows: &[Row<3>; 3]) {
    let x = fifths(state);
    *state = [dot3(&x, &rows[0]), dot3(&x, &rows[1]), dot3(&x, &rows[2])];
}

/// Computes round r >= 2: Z_r from Z_{r-1}, Z_{r-2} (`before`), Y_{r-1} and Y_{r-2}. Y_r then replaces Y_{r-2} in `y`.
#[inline(always)]
fn partial_round(
    s: &mut Element,
    z: &mut Element,
    y: &mut Element,
    before: [&Element; 2],
    y_before: &Element,
    row: &Row<4>,
) {
    *z = dot4(before[0], before[1], y_before, y, row);
    *y = fifth(s);
    *s = add(y, z);
}

// Each width is compiled once and called rather than inlined, because the unrolled kernels are large.
#[inline(never)]
fn dot2(x: &[Element; 2], row: &Row<2>) -> Element {
    dot(x.each_ref(), row)
}

#[inline(never)]
fn dot3(x: &[Element; 3], row: &Row<3>) -> Element {
    dot(x.each_ref(), row)
}

#[inline(never)]
fn dot4(a: &Element, b: &Element, c: &Element, d: &Element, row: &Row<4>) -> Element {
    dot([a, b, c, d], row)
}
