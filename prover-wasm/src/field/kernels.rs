//! Montgomery products on balanced limbs, the kernels of all sums. Columns are summed and reduced at once: column k of
//! a product is the sum of x_i y_(k-i), in units of 2^(2w-2) (a unit squared). Of 2^58 a column of 64 bits holds 32, of
//! 2^110 one of 128 bits 131,072: what follows is about the former, and for the latter there is room in plenty.
//!
//! The lower n columns each choose a multiple m_k of q that makes them divisible by 2^w, and hand on the quotient; the
//! others are then the limbs of the result. No carry is needed within a column, and none between the limbs of an operand:
//! that is what 30 bits leave room for, and what makes this faster than saturated limbs without wide products. With wide
//! arithmetic the sums of 128 bits profit in the same way.
//!
//! Room: limbs 0 to 11 count, limb 12 is below 2^23 and so below 2^-6 units; the fullest column, 11, has twelve products.
//! |m_k| <= 2^29, and the limbs of q are 6.21 units in all. What a column hands on is below 2^34. Hence
//!
//!   12 units(x) units(y) + 6.22 < 32
//!
//! which one operand of two units and one of one satisfy with 30.22 (and the little that carried exceeds one unit by).
//!
//! Size: the result is (V W + M q) / R with |M| <= R / 2 (1 + 2^-29), so its size is below 0.5001 + 0.0016 size(x)
//! size(y): q / R is 0.00159. Result limbs are from -2^(w-1) to 2^(w-1) - 1, so results are carried.

use super::limbs::{BITS, LIMBS, Limb, Limbs, MINUS_INVERSE_Q, Q, Wide, fits};

/// Columns of a product.
const COLUMNS: usize = 2 * LIMBS - 1;

/// Repeats a block for each number, which is a constant in it: loops in the block then have constant bounds, and the
/// compiler makes straight-line code of them.
macro_rules! unroll {
    ($k:ident in [$($value:literal)*] $block:block) => { $({ const $k: usize = $value; $block })* };
    ($k:ident in low columns $block:block) => { low_columns!($k $block) };
    ($k:ident in high columns $block:block) => { high_columns!($k $block) };
}

/// The numbers of the lower columns, as many as there are limbs.
#[cfg(not(feature = "wide"))]
macro_rules! low_columns {
    ($k:ident $block:block) => { unroll!($k in [0 1 2 3 4 5 6 7 8 9 10 11 12] $block) };
}
#[cfg(feature = "wide")]
macro_rules! low_columns {
    ($k:ident $block:block) => { unroll!($k in [0 1 2 3 4 5 6] $block) };
}

/// The numbers of the others.
#[cfg(not(feature = "wide"))]
macro_rules! high_columns {
    ($k:ident $block:block) => { unroll!($k in [13 14 15 16 17 18 19 20 21 22 23 24] $block) };
}
#[cfg(feature = "wide")]
macro_rules! high_columns {
    ($k:ident $block:block) => { unroll!($k in [7 8 9 10 11 12] $block) };
}

/// Reduces columns, given one by one: an array of limbs.
macro_rules! montgomery {
    (|$k:ident| $column:expr) => {{
        let mut result = [0; LIMBS];
        let mut multiples = [0; LIMBS];
        let mut carry: Wide = 0;
        unroll!($k in low columns {
            let column = $column + multiple_of_q::<$k>(&multiples) + carry;
            multiples[$k] = balanced_low((column as i64).wrapping_mul(MINUS_INVERSE_Q)) as Wide;
            carry = (column + multiples[$k] * Q[0] as Wide) >> BITS;
        });
        unroll!($k in high columns {
            let column = $column + multiple_of_q::<$k>(&multiples) + carry;
            let low = balanced_low(column as i64);
            result[$k - LIMBS] = low as Limb;
            carry = (column - low as Wide) >> BITS;
        });
        result[LIMBS - 1] = carry as Limb;
        result
    }};
}

/// The number from -2^(w-1) to 2^(w-1) - 1 that equals x modulo 2^w.
#[inline(always)]
fn balanced_low(x: i64) -> i64 {
    x << (i64::BITS - BITS) >> (i64::BITS - BITS)
}

/// The indices i with i and k - i both below n.
const fn pairs(k: usize) -> core::ops::Range<usize> {
    k.saturating_sub(LIMBS - 1)..if k < LIMBS { k + 1 } else { LIMBS }
}

/// What the multiples so far add to column K. In the lower columns the multiple K is not known yet, and is still 0.
#[inline(always)]
fn multiple_of_q<const K: usize>(multiples: &[Wide; LIMBS]) -> Wide {
    pairs(K).filter(|i| *i < K).map(|i| multiples[i] * Q[K - i] as Wide).sum()
}

/// Column K of x y.
#[inline(always)]
fn column<const K: usize>(x: &[Wide; LIMBS], y: &[Wide; LIMBS]) -> Wide {
    pairs(K).map(|i| x[i] * y[K - i]).sum()
}

/// As [`column`], modulo 2^64 (2^128).
#[inline(always)]
fn wrapping_column<const K: usize>(x: &[Wide; LIMBS], y: &[Wide; LIMBS]) -> Wide {
    pairs(K).fold(0, |sum, i| sum.wrapping_add(x[i].wrapping_mul(y[K - i])))
}

/// Limbs, or sums of two, as columns take them. Sums are made before: of wide ones no engine knows that they are short.
#[inline(always)]
fn widen<L: Into<Wide>>(x: [L; LIMBS]) -> [Wide; LIMBS] {
    x.map(Into::into)
}

/// x y / R. One operand may have two units, the other one.
#[inline(never)]
pub fn multiply(x: &Limbs, y: &Limbs) -> Limbs {
    debug_assert!(fits(x, 1) && fits(y, 2) || fits(x, 2) && fits(y, 1));
    let (x, y) = (widen(*x), widen(*y));
    montgomery!(|K| column::<K>(&x, &y))
}

/// x x / R, each mixed product taken once and doubled: columns are what [`multiply`]'s would be. Takes one unit.
#[inline(never)]
pub fn square(x: &Limbs) -> Limbs {
    debug_assert!(fits(x, 1));
    let doubled = widen(x.map(|limb| 2 * i64::from(limb)));
    let x = widen(*x);
    montgomery!(|K| {
        let mixed: Wide = pairs(K).filter(|i| 2 * i < K).map(|i| doubled[i] * x[K - i]).sum();
        if K % 2 == 0 { mixed + x[K / 2] * x[K / 2] } else { mixed }
    })
}

/// (x0 + x1 u)(y0 + y1 u) / R with u^2 = -1, three products and two reductions. Takes one unit.
///
/// Columns: x0 y0 - x1 y1, and x0 y1 + x1 y0 as (x0 + x1)(y0 + y1) - x0 y0 - x1 y1. Both have 24 products, so up to 24 and
/// with the multiples of q 30.22 units. (x0 + x1)(y0 + y1) may have 48 and is taken modulo 2^64, where its difference to
/// what fits is right again.
///
/// Size: below 0.5001 + 0.0016 (size(x0) size(y0) + size(x1) size(y1)), and alike.
#[inline(never)]
pub fn multiply_fq2(x: &[Limbs; 2], y: &[Limbs; 2]) -> [Limbs; 2] {
    debug_assert!(x.iter().chain(y).all(|x| fits(x, 1)));
    let [x_sum, y_sum] =
        [x, y].map(|x| widen(core::array::from_fn(|i| i64::from(x[0][i]) + i64::from(x[1][i]))));
    let [x0, x1] = x.map(widen);
    let [y0, y1] = y.map(widen);
    let (mut low, mut high) = ([0; COLUMNS], [0; COLUMNS]);
    macro_rules! both {
        ($k:ident) => {{
            low[$k] = column::<$k>(&x0, &y0);
            high[$k] = column::<$k>(&x1, &y1);
        }};
    }
    unroll!(K in low columns { both!(K) });
    unroll!(K in high columns { both!(K) });
    [
        montgomery!(|K| (low[K] - high[K])),
        montgomery!(|K| {
            let mixed = wrapping_column::<K>(&x_sum, &y_sum).wrapping_sub(low[K]).wrapping_sub(high[K]);
            debug_assert_eq!(mixed, column::<K>(&x0, &y1) + column::<K>(&x1, &y0), "modulo and without");
            mixed
        }),
    ]
}
