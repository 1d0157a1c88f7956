//! Four limbs of 64 bits, R = 2^288. A product of limbs and two limbs added to it fit 128 bits, which is what the
//! wide-arithmetic instructions compute.
//!
//! Why R = 2^288: with 2^256 an output could exceed four limbs and would have to be compared with r. A fifth, half row of
//! the reduction, whose quotient is a negation because r = 1 modulo 2^32, is cheaper.
//!
//! Measured in V8 and slower: limbs of 52 bits, whose columns need no carries but whose products are more (1.55 times the
//! narrow kernels instead of 1.8). Not worth its lines: a square of its own (a fortieth of a hash).
//!
//! Bounds: *settled* is below r + 2^226, hence below 2^255; a *sum* is below 2 r + 2^227 < 0.91 2^256.

use super::{R_WORDS as R, Row, words};

/// Four limbs of a constant below r, least significant first.
pub type Limbs = [u64; LIMBS];

/// Four limbs of a value, least significant first. Settled or a sum, see above.
pub type Element = [u64; LIMBS];

pub const LIMBS: usize = 4;

/// -1/r modulo 2^64: r = 1 - 2^32 there, whose inverse is 1 + 2^32.
const MINUS_INVERSE: u64 = 0u64.wrapping_sub(1 + (1 << 32));

/// x y + s + c as low and high limb; at most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
#[inline(always)]
fn product(x: u64, y: u64, s: u64, c: u64) -> (u64, u64) {
    split(x as u128 * y as u128 + s as u128 + c as u128)
}

#[inline(always)]
fn split(x: u128) -> (u64, u64) {
    (x as u64, (x >> 64) as u64)
}

/// s + x y, with s and the result in six limbs: callers show that they suffice.
#[inline(always)]
fn add_row(s: [u64; 6], x: u64, y: &Element) -> [u64; 6] {
    let (s0, c) = product(x, y[0], s[0], 0);
    let (s1, c) = product(x, y[1], s[1], c);
    let (s2, c) = product(x, y[2], s[2], c);
    let (s3, c) = product(x, y[3], s[3], c);
    let (s4, c) = split(s[4] as u128 + c as u128);
    [s0, s1, s2, s3, s4, s[5] + c]
}

/// (s + q r) / 2^64 with the q that makes it whole.
#[inline(always)]
fn reduce_limb(s: [u64; 6]) -> [u64; 6] {
    let q = s[0].wrapping_mul(MINUS_INVERSE);
    let (_, c) = product(q, R[0], s[0], 0);
    let (s0, c) = product(q, R[1], s[1], c);
    let (s1, c) = product(q, R[2], s[2], c);
    let (s2, c) = product(q, R[3], s[3], c);
    let (s3, c) = split(s[4] as u128 + c as u128);
    [s0, s1, s2, s3, s[5] + c, 0]
}

/// (s + q r) / 2^32 with the q that makes it whole: the last step. Callers show that the result is settled.
#[inline(always)]
fn reduce_half(s: [u64; 6]) -> Element {
    let q = s[0].wrapping_neg() & 0xffff_ffff;
    let (s0, c) = product(q, R[0], s[0], 0);
    let (s1, c) = product(q, R[1], s[1], c);
    let (s2, c) = product(q, R[2], s[2], c);
    let (s3, c) = product(q, R[3], s[3], c);
    let s4 = s[4] + c;
    [s0 >> 32 | s1 << 32, s1 >> 32 | s2 << 32, s2 >> 32 | s3 << 32, s3 >> 32 | s4 << 32]
}

/// (sum of x_n w_n + addend) / R, row by row: row i, of the limbs i of all x, has the weight of limb i of what is there.
///
/// With rows of at most (2^64 - 1) B, what is there stays below B + r + 1: first the addend, below r, then the sum of
/// both and q r over 2^64. For B < 2^258 a row and what is there fit 2^323: six limbs, and five after [`reduce_limb`]. The
/// result is (T + Q r) / R for the sum T of addend and rows, with Q < R: below T / R + r.
///
/// Plain loops: closures for the rows are called, with their limbs through memory, which takes a tenth of a hash; and so
/// does, by half of that, unrolling all of `dot` by hand.
#[inline(always)]
fn sum_of_products<const N: usize>(x: [&Element; N], w: [&Element; N], addend: &Limbs) -> Element {
    let mut s = [addend[0], addend[1], addend[2], addend[3], 0, 0];
    for i in 0..LIMBS {
        for n in 0..N {
            s = add_row(s, x[n][i], w[n]);
        }
        s = reduce_limb(s);
    }
    let result = reduce_half(s);
    debug_assert!(is_settled(&result));
    result
}

/// x y / R. Takes settled elements and sums.
///
/// Rows are at most (2^64 - 1) 2^256, and x y below 2^512: the result is below 2^224 + r.
#[inline(never)]
pub fn mul(x: &Element, y: &Element) -> Element {
    debug_assert!(is_sum(x) && is_sum(y));
    sum_of_products([x], [y], &[0; LIMBS])
}

/// x x / R, as [`mul`].
#[inline(always)]
pub fn square(x: &Element) -> Element {
    mul(x, x)
}

/// (sum of x_n w_n + addend) / R, for up to four settled elements.
///
/// Rows are sums of at most four up to (2^64 - 1) 2^255, the sum of products is below 4 2^255 r < 2^512: the result is
/// below 2^224 + r + 1.
#[inline(always)]
pub fn dot<const N: usize>(x: [&Element; N], row: &Row<N>) -> Element {
    const { assert!(N <= 4) };
    debug_assert!(x.iter().all(|x| is_settled(x)));
    sum_of_products(x, row.weights.each_ref(), &row.addend)
}

/// x + y: a sum, of two settled elements.
#[inline(always)]
pub fn add(x: &Element, y: &Element) -> Element {
    debug_assert!(is_settled(x) && is_settled(y));
    let mut carry = 0;
    core::array::from_fn(|j| {
        let (limb, c) = split(x[j] as u128 + y[j] as u128 + carry as u128);
        carry = c;
        limb
    })
}

/// The limbs of a constant as an element.
#[inline(always)]
pub fn constant(limbs: &Limbs) -> Element {
    *limbs
}

/// x - r, or x itself where that is negative.
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

/// Reads 32 big-endian bytes, any 256 bits, as a plain integer modulo r: 2^256 < 3 r.
pub fn from_bytes(bytes: &[u8; 32]) -> Element {
    reduced(&reduced(&words(bytes)))
}

/// Writes a plain integer below 2 r, the kernels' output, as the canonical 32 big-endian bytes.
pub fn to_bytes(x: &Element) -> [u8; 32] {
    debug_assert!(is_settled(x));
    let mut bytes = [0; 32];
    for (bytes, limb) in bytes.chunks_exact_mut(8).rev().zip(reduced(x)) {
        bytes.copy_from_slice(&limb.to_be_bytes());
    }
    bytes
}

fn is_settled(x: &Element) -> bool {
    x[3] < R[3] + (1 << 34)
}

fn is_sum(x: &Element) -> bool {
    x[3] < 2 * R[3] + (1 << 35)
}
