//! Nine limbs of 29 bits, R = 2^261.
//!
//! Why 29 bits: 64-bit columns then hold a whole row of products without a carry between them, which is what WebAssembly
//! without wide multiplication does fastest. Why R = 2^261: with operands below 2^257 an output stays below 2^256.
//!
//! r = 1 modulo 2^32, so -1/r = -1 modulo 2^29: the Montgomery quotient of a column is its own negation. For the same
//! reason limb 0 of r is 1 and limb 1 is 2^29 - 8, whose products cost no multiplication ([`reduce`]).
//!
//! The multiplier is the bottleneck (about one product a cycle). Measured in V8 and slower: one level of Karatsuba in
//! [`dot`], where registers spill, and two hashes side by side in simd128, where each widening product costs shuffles.
//!
//! Bounds: *settled*, which is both factor and term, is limbs 0 to 7 below 2^29, value below 2^256 (hence limb 8 below
//! 2^24). A *sum*, a factor only: limbs below 2^30, value below 2^257.

#![allow(clippy::needless_range_loop)] // the index of a limb is its weight

use super::{R_WORDS, Row, words};

/// Nine limbs of a constant, least significant first, each below 2^29, the whole below r.
pub type Limbs = [u32; LIMBS];

/// Nine limbs of a value, least significant first. Settled or a sum, see above.
pub type Element = [u64; LIMBS];

pub const LIMBS: usize = 9;
const BITS: usize = 29;
const MASK: u64 = (1 << BITS) - 1;

const R: Element = split(R_WORDS);
const _: () = assert!(R[0] == 1 && R[1] == (1 << BITS) - 8 && R[2] >= 7); // what `reduce` builds on

/// Limbs of 256 bits given as 64-bit words. Settled.
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

/// An addend and nine rows of products, reduced as they are summed: `term(i, j)` is what row i adds to column i + j.
///
/// `s[0]` is always column i = 2^29 h + t. The quotient q = 2^29 - t makes it divisible by 2^29, the window moves up by
/// one column, and h + 1 goes along as carry. Of the products q r_j that of r_1 is -8 q in its column and q in the next,
/// where it joins that of r_2; and as -8 q = 8 t - 8 2^29 the former is 8 t, with 8 less in the next, which q r_2 is
/// never below. As q is at least 1, zero comes out as r.
///
/// A column takes nine terms, seven products of q that are at most 2^58, 8 t below 2^32 and a carry below 2^35 (together
/// 2^60.9), the first nine columns a limb of the addend; callers show that nine of their terms leave room for that in 64
/// bits. All q together are below 2^261 (1 + 2^-28), so the value of the result is below the sum over R + r (1 + 2^-28).
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

/// Carries upwards, so that limbs 0 to 7 are below 2^29. The value is unchanged; limb 8 holds the rest.
#[inline(always)]
fn settle(mut s: Element) -> Element {
    for j in 0..LIMBS - 1 {
        s[j + 1] += s[j] >> BITS;
        s[j] &= MASK;
    }
    s
}

/// x y / R. Takes a settled element and a settled one or a sum.
///
/// Terms are below 2^29 2^30, nine of them below 2^62.2; with the reduction's 2^60.9 a column stays below 2^63.
/// Value: below 2^256 2^257 / 2^261 + r (1 + 2^-28) < 1.14 r, so settled.
#[inline(never)]
pub fn mul(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(x) && is_sum(y));
    settle(reduce(&[0; LIMBS], |i, j| x[i] * y[j]))
}

/// x x / R, with each mixed product taken once and doubled. Takes a settled element or a sum.
///
/// Row i adds x_i x_i and 2 x_i x_j for j > i, in columns 2 i and i + j: what column k receives in all is the sum over
/// i + j = k of x_i x_j, at most nine products below 2^60, that is 2^63.2; with 2^60.9 below 2^63.5.
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

/// x^5 / R^4, the S-box. Takes a settled element or a sum, returns a settled one.
#[inline(always)]
pub fn fifth(x: &Element) -> Element {
    mul(&square(&square(x)), x)
}

/// (sum of x_n w_n + addend) / R, for up to four settled elements.
///
/// Terms are sums of at most four products below 2^58, nine of them below 2^63.2; with 2^60.9 below 2^63.5.
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

/// x + y, limb by limb: a sum, of two settled elements.
#[inline(always)]
pub fn add(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(x) && is_settled(y));
    core::array::from_fn(|j| x[j] + y[j])
}

/// The limbs of a constant as an element.
#[inline(always)]
pub fn constant(limbs: &Limbs) -> Element {
    limbs.map(u64::from)
}

/// Reads 32 big-endian bytes, any 256 bits, as a plain integer. Settled.
pub fn from_bytes(bytes: &[u8; 32]) -> Element {
    split(words(bytes))
}

/// Writes a plain integer below 2 r, the kernels' output, as the canonical 32 big-endian bytes.
pub fn to_bytes(x: &Element) -> [u8; 32] {
    debug_assert!(is_settled(x));
    // x - r, borrowing downwards; a borrow out of the top says that x was below r already.
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
