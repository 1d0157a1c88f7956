//! Field elements in four limbs of 64 bits, R = 2^256. The product of two limbs, plus two more limbs, fits in 128 bits.
//! The wide-arithmetic instructions compute such sums.
//!
//! The kernels never compare a value with r. The reduction of a sum of products T gives a value below T / R + r, and r
//! is 0.453 R. For x below 0.477 R, the S-box computes x^2 below 0.680 R, x^4 below 0.916 R and x^5 below 0.890 R,
//! which fit in four limbs without a subtraction. Only inner products and sums exceed four limbs, by little: [`fold`]
//! subtracts a multiple of r that it estimates from the highest bits. With R = 2^288, nothing would exceed four limbs,
//! but each operation would need four more products, as many as `fold`.
//!
//! Bounds: a *settled* value is below 61 2^249 (0.477 R). It is both a factor and a term. Any four limbs are a term.
//!
//! The speed depends on the number of machine instructions that V8 generates, including moves. Not faster, as measured:
//! limbs of 52 bits, which need no carries in columns but more products; a square that doubles the sum of its mixed
//! products (the compiler already merges equal products); shifts for the product of the quotient and the lowest limb of
//! r; a fully unrolled [`dot`], which spills registers; closures for the rows of `dot`, whose limbs go through memory.

#![allow(clippy::needless_range_loop)] // the index of a limb is its weight

use super::{R_WORDS as R, Row, words};

/// Four limbs of a constant below r, least significant first.
pub type Limbs = [u64; LIMBS];

/// Four limbs of a value, least significant first: settled or a term, see above.
pub type Element = [u64; LIMBS];

pub const LIMBS: usize = 4;

/// -1/r modulo 2^64. There r = 1 - 2^32, and the inverse of this is 1 + 2^32.
const MINUS_INVERSE: u64 = 0u64.wrapping_sub(1 + (1 << 32));

/// 2^256 - r.
const MINUS_R: Element = [!R[0] + 1, !R[1], !R[2], !R[3]];

/// Returns x y + s + c as its low and high limb. The sum is at most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
#[inline(always)]
fn product(x: u64, y: u64, s: u64, c: u64) -> (u64, u64) {
    split(x as u128 * y as u128 + s as u128 + c as u128)
}

#[inline(always)]
fn split(x: u128) -> (u64, u64) {
    (x as u64, (x >> 64) as u64)
}

/// Returns s + x y as four limbs and a fifth.
#[inline(always)]
fn add_row(s: Element, x: u64, y: &Element) -> (Element, u64) {
    let (s0, c) = product(x, y[0], s[0], 0);
    let (s1, c) = product(x, y[1], s[1], c);
    let (s2, c) = product(x, y[2], s[2], c);
    let (s3, c) = product(x, y[3], s[3], c);
    ([s0, s1, s2, s3], c)
}

/// Returns (s + q r) / 2^64 as three limbs and a fourth; q makes it whole. Callers add limbs above s to the fourth.
#[inline(always)]
fn reduce_limb(s: Element) -> ([u64; 3], u64) {
    let q = s[0].wrapping_mul(MINUS_INVERSE);
    let (_, c) = product(q, R[0], s[0], 0);
    let (s0, c) = product(q, R[1], s[1], c);
    let (s1, c) = product(q, R[2], s[2], c);
    let (s2, c) = product(q, R[3], s[3], c);
    ([s0, s1, s2], c)
}

/// Returns x y / R for a term x and a settled y.
///
/// Each row computes s' = (s + x_i y + q r) / 2^64, which stays below y + r, hence below 0.930 R: four limbs. The
/// result is (x y + Q r) / R with Q < R, hence below x y / R + r.
#[inline(always)]
fn product_by_settled(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(y));
    let mut s = [0; LIMBS];
    for limb in x {
        let (low, top) = add_row(s, *limb, y);
        let ([s0, s1, s2], c) = reduce_limb(low);
        s = [s0, s1, s2, top + c];
    }
    s
}

/// Returns x x / R, where x is the square of a settled element.
///
/// Works like [`product_by_settled`], but s stays below x + r < 1.133 R. It takes five limbs, which have room for one
/// more row. The result is below x x / R + r < 0.916 R: four limbs.
#[inline(always)]
fn square_of_square(x: &Element) -> Element {
    debug_assert!(x[3] < 11 << 60);
    let (mut s, mut top) = ([0; LIMBS], 0);
    for limb in x {
        let (low, carry) = add_row(s, *limb, x);
        top += carry;
        let ([s0, s1, s2], c) = reduce_limb(low);
        let (s3, above) = split(top as u128 + c as u128);
        (s, top) = ([s0, s1, s2, s3], above);
    }
    debug_assert!(top == 0);
    s
}

/// Reduces s + top R, of up to 5 r, to a settled element: subtracts a multiple of r that it estimates.
///
/// Let t be the value in units of 2^250, rounded down (at most 144), and k = 141 t / 4096, rounded down. 141 / 4096 is
/// just below 2^250 / r, so k r is at most the value. The rounding of k leaves less than r, and the estimate leaves
/// (t + 1) 2^250 - 141 t r / 4096 < 1.34 2^250: in total less than 0.474 R.
#[inline(always)]
fn fold(s: Element, top: u64) -> Element {
    let t = top << 6 | s[3] >> 58;
    let k = (t * 141) >> 12;
    let (s0, c) = product(k, MINUS_R[0], s[0], 0);
    let (s1, c) = product(k, MINUS_R[1], s[1], c);
    let (s2, c) = product(k, MINUS_R[2], s[2], c);
    let s3 = k.wrapping_mul(MINUS_R[3]).wrapping_add(s[3]).wrapping_add(c); // k R and top R drop out
    let settled = [s0, s1, s2, s3];
    debug_assert!(is_settled(&settled));
    settled
}

/// Returns x y / R, a term, for a term x and a settled y.
#[inline(never)]
pub fn mul(x: &Element, y: &Element) -> Element {
    product_by_settled(x, y)
}

/// Computes the S-box: x^5 / R^4, a term, for a settled x.
///
/// This is one function, so that the intermediate powers stay in registers; calls would pass them through memory.
#[inline(never)]
pub fn fifth(x: &Element) -> Element {
    let square = product_by_settled(x, x);
    product_by_settled(&square_of_square(&square), x)
}

/// Returns (sum of x_n w_n + addend) / R, settled, for up to four terms.
///
/// Row i multiplies limb i of each x by its weights and adds the products to s, which begins as the addend. s is below
/// r at first and stays below 5 r, because the products of a row are at most (2^64 - 1) 4 r, and q r is at most
/// (2^64 - 1) r. It takes six limbs before the division by 2^64, and five after it.
#[inline(always)]
pub fn dot<const N: usize>(x: [&Element; N], row: &Row<N>) -> Element {
    const { assert!(N <= 4) };
    let (mut s, mut top) = (row.addend, 0u128);
    for i in 0..LIMBS {
        for n in 0..N {
            let (low, carry) = add_row(s, x[n][i], &row.weights[n]);
            (s, top) = (low, top + carry as u128);
        }
        let ([s0, s1, s2], c) = reduce_limb(s);
        let (s3, above) = split(top + c as u128);
        (s, top) = ([s0, s1, s2, s3], above as u128);
    }
    fold(s, top as u64)
}

/// Returns x + y, settled, for a term x and a settled y. The sum is below 1.48 R < 5 r, as [`fold`] requires.
#[inline(always)]
pub fn add(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(y));
    let mut carry = 0;
    let sum = core::array::from_fn(|j| {
        let (limb, c) = split(x[j] as u128 + y[j] as u128 + carry as u128);
        carry = c;
        limb
    });
    fold(sum, carry)
}

/// Returns a constant as an element, settled.
#[inline(always)]
pub fn constant(limbs: &Limbs) -> Element {
    *limbs
}

/// Returns x - r, or x if this is negative.
#[inline(always)]
fn reduced(x: &Element) -> Element {
    let mut borrow = 0;
    let less: Element = core::array::from_fn(|j| {
        let (limb, high) = split((x[j] as u128).wrapping_sub(R[j] as u128 + borrow as u128));
        borrow = high & 1;
        limb
    });
    let keep = 0u64.wrapping_sub(borrow);
    core::array::from_fn(|j| (x[j] & keep) | (less[j] & !keep))
}

/// Reads 32 big-endian bytes (any 256 bits) as a plain integer modulo r, settled. 2^256 < 3 r.
pub fn from_bytes(bytes: &[u8; 32]) -> Element {
    reduced(&reduced(&words(bytes)))
}

/// Writes a plain integer below 2 r (settled, or a product with 1) as the canonical 32 big-endian bytes.
pub fn to_bytes(x: &Element) -> [u8; 32] {
    debug_assert!(is_settled(x));
    let mut bytes = [0; 32];
    for (bytes, limb) in bytes.chunks_exact_mut(8).rev().zip(reduced(x)) {
        bytes.copy_from_slice(&limb.to_be_bytes());
    }
    bytes
}

fn is_settled(x: &Element) -> bool {
    x[3] < 61 << 57
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest limb of 0.474 R, the bound that [`fold`] states.
    const FOLDED: u64 = (u64::MAX as u128 * 474 / 1000) as u64;
    const R_TOP: u64 = R[3];

    #[test]
    fn fold_keeps_its_bound_at_the_top_of_every_unit() {
        // The largest value below t + 1 units of 2^250. 144 units are below 5 r.
        for t in 0..144 {
            let high = ((t + 1) << 58) - 1u128;
            let folded = fold([u64::MAX, u64::MAX, u64::MAX, high as u64], (high >> 64) as u64);
            assert!(folded[3] <= FOLDED, "{t}: {folded:x?}");
        }
    }

    #[test]
    fn bytes_of_any_number_are_read_as_settled() {
        for byte in [0, 0x73, 0x74, 0xe7, 0xe8, 0xff] {
            let read = from_bytes(&[byte; 32]);
            assert!(read[3] <= R_TOP, "{byte:x}: {read:x?}");
        }
    }
}
