//! Field elements in nine limbs of 29 bits, R = 2^261.
//!
//! With limbs of 29 bits, a 64-bit column holds a whole row of products without a carry, which is the fastest method in
//! WebAssembly without wide multiplication. With R = 2^261 and operands below 2^257, outputs stay below 2^256.
//!
//! r = 1 modulo 2^32, so -1/r = -1 modulo 2^29: the Montgomery quotient of a column is the negated column. For the same
//! reason limb 0 of r is 1 and limb 1 is 2^29 - 8, so their products need no multiplication ([`reduce`]).
//!
//! The multiplier is the bottleneck (about one product per cycle). Slower in V8 are one level of Karatsuba in [`dot`],
//! which spills registers, and two hashes at a time in simd128, whose widening products need shuffles.
//!
//! Bounds: a *settled* element has limbs 0 to 7 below 2^29 and a value below 2^256 (hence limb 8 below 2^24). It is
//! both a factor and a term. A *sum* has limbs below 2^30 and a value below 2^257. It is only a factor.

#![allow(clippy::needless_range_loop)] // the index of a limb is its weight

use super::{R_WORDS, Row, words};

/// Nine limbs of a constant below r, least significant first, each below 2^29.
pub type Limbs = [u32; LIMBS];

/// Nine limbs of a value, least significant first: settled or a sum, see above.
pub type Element = [u64; LIMBS];

pub const LIMBS: usize = 9;
const BITS: usize = 29;
const MASK: u64 = (1 << BITS) - 1;

const R: Element = split(R_WORDS);
const _: () = assert!(R[0] == 1 && R[1] == (1 << BITS) - 8 && R[2] >= 7); // `reduce` relies on this

/// Splits 256 bits, given as 64-bit words, into limbs. The result is settled.
const fn split(words: [u64; 4]) -> Element {
    let mut limbs = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let (word, shift) = (BITS * i / 64, BITS * i % 64);
        limbs[i] = words[word] >> shift;
        if shift > 64 - BITS && word < 3 {
            limbs[i] |= words[word + 1] << (64 - shift);
        }
        limbs[i] &= MASK;
        i += 1;
    }
    limbs
}

/// Sums an addend and nine rows of products, and reduces as it goes. Row i adds `term(i, j)` to column i + j.
///
/// In row i, `s[0]` is column i = 2^29 h + t. The quotient q = 2^29 - t makes the column divisible by 2^29; then the
/// window moves up by one column, with the carry h + 1. As r_1 = 2^29 - 8, its product adds -8 q to its own column and
/// q to the next, where the code joins it with q r_2. As -8 q = 8 t - 8 2^29, the code adds 8 t and subtracts 8 from
/// the next column, which cannot become negative because q (r_2 + 1) >= 8. As q is at least 1, a sum of zero gives r.
///
/// A column sums nine terms, seven products of q of at most 2^58, 8 t below 2^32, a carry below 2^35 and, in the first
/// nine columns, a limb of the addend. Without the terms this is below 2^60.9; callers show that nine terms still fit
/// in 64 bits. The quotients total less than 2^261 (1 + 2^-28), so the result is below the sum / R + r (1 + 2^-28).
#[inline(always)]
fn reduce(addend: &Limbs, term: impl Fn(usize, usize) -> u64) -> Element {
    let mut s = constant(addend);
    macro_rules! row {
        ($i:literal) => {{
            let column = s[0] + term($i, 0);
            let t = column & MASK;
            let q = (1 << BITS) - t;
            s[0] = s[1] + term($i, 1) + (column >> BITS) + 1 + (t << 3);
            s[1] = s[2] + term($i, 2) + q * (R[2] + 1) - 8;
            for j in 3..LIMBS {
                s[j - 1] = s[j] + term($i, j) + q * R[j];
            }
            s[LIMBS - 1] = 0;
        }};
    }
    row!(0);
    row!(1);
    row!(2);
    row!(3);
    row!(4);
    row!(5);
    row!(6);
    row!(7);
    row!(8);
    s
}

/// Carries upwards until limbs 0 to 7 are below 2^29. The value does not change; limb 8 holds the rest.
#[inline(always)]
fn settle(mut s: Element) -> Element {
    for j in 0..LIMBS - 1 {
        s[j + 1] += s[j] >> BITS;
        s[j] &= MASK;
    }
    s
}

/// Returns x y / R, settled, for a settled x and a y that is settled or a sum.
///
/// Terms are below 2^29 2^30, so nine are below 2^62.2; with the reduction's 2^60.9, a column stays below 2^63.
/// Value: below 2^256 2^257 / 2^261 + r (1 + 2^-28) < 1.14 r, so settled.
#[inline(never)]
pub fn mul(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(x) && is_sum(y));
    settle(reduce(&[0; LIMBS], |i, j| x[i] * y[j]))
}

/// Returns x x / R, settled, for an x that is settled or a sum. Computes each mixed product once and doubles it.
///
/// Row i adds x_i x_i to column 2 i, and 2 x_i x_j for j > i to column i + j. Column k thus receives the sum of x_i x_j
/// over i + j = k: at most nine products below 2^60, hence 2^63.2; with 2^60.9 it is below 2^63.5.
/// Value: below 2^514 / 2^261 + r (1 + 2^-28) < 1.28 r < 1.16 2^255, so settled.
#[inline(never)]
pub fn square(x: &Element) -> Element {
    debug_assert!(is_sum(x));
    settle(reduce(&[0; LIMBS], |i, j| match j {
        _ if j < i => 0,
        _ if j == i => x[i] * x[i],
        _ => (x[i] << 1) * x[j],
    }))
}

/// Computes the S-box: x^5 / R^4, settled, for an x that is settled or a sum.
#[inline(always)]
pub fn fifth(x: &Element) -> Element {
    mul(&square(&square(x)), x)
}

/// Returns (sum of x_n w_n + addend) / R, settled, for up to four settled elements.
///
/// Terms are sums of at most four products below 2^58, so nine are below 2^63.2; with 2^60.9, 2^63.5.
/// Value: below (4 2^256 r + r) / 2^261 + r (1 + 2^-28) < 1.13 r < 1.03 2^255, so settled.
#[inline(always)]
pub fn dot<const N: usize>(x: [&Element; N], row: &Row<N>) -> Element {
    const { assert!(N <= 4) };
    debug_assert!(x.iter().all(|x| is_settled(x)));
    settle(reduce(&row.addend, |i, j| {
        let mut term = x[0][i] * row.weights[0][j] as u64;
        for n in 1..N {
            term += x[n][i] * row.weights[n][j] as u64;
        }
        term
    }))
}

/// Returns the sum of two settled elements, added limb by limb.
#[inline(always)]
pub fn add(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(x) && is_settled(y));
    core::array::from_fn(|j| x[j] + y[j])
}

/// Returns a constant as an element.
#[inline(always)]
pub fn constant(limbs: &Limbs) -> Element {
    limbs.map(u64::from)
}

/// Reads 32 big-endian bytes (any 256 bits) as a plain integer, settled.
pub fn from_bytes(bytes: &[u8; 32]) -> Element {
    split(words(bytes))
}

/// Writes a plain integer below 2 r, as the kernels return it, as the canonical 32 big-endian bytes.
pub fn to_bytes(x: &Element) -> [u8; 32] {
    debug_assert!(is_settled(x));
    // Computes x - r. A borrow out of the top limb means that x is already below r.
    let mut reduced = *x;
    let mut borrow = 0;
    for j in 0..LIMBS {
        let limb = x[j].wrapping_sub(R[j] + borrow);
        borrow = limb >> 63;
        reduced[j] = limb & MASK;
    }
    let keep = 0u64.wrapping_sub(borrow);
    let mut bytes = [0; 32];
    let (mut pending, mut bits, mut at) = (0u64, 0, 32);
    for j in 0..LIMBS {
        pending |= ((x[j] & keep) | (reduced[j] & !keep)) << bits;
        bits += BITS;
        while bits >= 8 && at > 0 {
            at -= 1;
            bytes[at] = pending as u8;
            pending >>= 8;
            bits -= 8;
        }
    }
    bytes
}

fn is_settled(x: &Element) -> bool {
    x[..LIMBS - 1].iter().all(|limb| *limb <= MASK) && x[LIMBS - 1] < 1 << 24
}

fn is_sum(x: &Element) -> bool {
    x[..LIMBS - 1].iter().all(|limb| *limb <= 2 * MASK) && x[LIMBS - 1] < 1 << 25
}
