//! Montgomery products on balanced limbs, the kernels of all sums. Each column is summed and reduced in one step.
//! Column k of a product is the sum of x_i y_(k-i), in units of 2^(2w-2) (the square of a unit). A column of 64 bits
//! holds 32 units of 2^58; a column of 128 bits holds 131,072 of 2^110, so only the bounds of the former matter below.
//!
//! In each of the lower n columns, the kernel adds the multiple m_k of q that makes the column divisible by 2^w, and
//! carries the quotient to the next column. The other columns then give the limbs of the result. Limbs of 30 bits leave
//! enough room that neither columns nor operands need carries, so this is faster than saturated limbs on engines
//! without wide products. With wide arithmetic, sums of 128 bits benefit in the same way.
//!
//! Room: limb 12 is below 2^23, hence below 2^-6 units, so only limbs 0 to 11 count. The fullest column, 11, has twelve
//! products. |m_k| <= 2^29, and the limbs of q total 6.21 units. A column carries less than 2^34 to the next. Hence
//!
//!   12 units(x) units(y) + 6.22 < 32
//!
//! With one operand of two units and one of one unit, this is 30.22 (carried limbs exceed a unit only slightly).
//!
//! Size: the result is (V W + M q) / R with |M| <= R / 2 (1 + 2^-29). As q / R is 0.00159, its size is below 0.5001 +
//! 0.0016 size(x) size(y). Limbs of the result are from -2^(w-1) to 2^(w-1) - 1, so results are carried.

use super::limbs::{BITS, LIMBS, Limb, Limbs, MINUS_INVERSE_Q, Q, Wide, fits};

/// The number of columns of a product.
const COLUMNS: usize = 2 * LIMBS - 1;

/// Repeats a block for each number, as a constant in the block. Loops in the block then have constant bounds, and the
/// compiler unrolls them.
macro_rules! unroll {
    ($k:ident in [$($value:literal)*] $block:block) => { $({ const $k: usize = $value; $block })* };
    ($k:ident in low columns $block:block) => { low_columns!($k $block) };
    ($k:ident in high columns $block:block) => { high_columns!($k $block) };
}

/// Repeats a block for the lower columns, as many as there are limbs.
#[cfg(not(feature = "wide"))]
macro_rules! low_columns {
    ($k:ident $block:block) => { unroll!($k in [0 1 2 3 4 5 6 7 8 9 10 11 12] $block) };
}
#[cfg(feature = "wide")]
macro_rules! low_columns {
    ($k:ident $block:block) => { unroll!($k in [0 1 2 3 4 5 6] $block) };
}

/// Repeats a block for the other columns.
#[cfg(not(feature = "wide"))]
macro_rules! high_columns {
    ($k:ident $block:block) => { unroll!($k in [13 14 15 16 17 18 19 20 21 22 23 24] $block) };
}
#[cfg(feature = "wide")]
macro_rules! high_columns {
    ($k:ident $block:block) => { unroll!($k in [7 8 9 10 11 12] $block) };
}

/// Computes the columns one by one and reduces them to an array of limbs.
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

/// Returns the number from -2^(w-1) to 2^(w-1) - 1 that equals x modulo 2^w.
#[inline(always)]
fn balanced_low(x: i64) -> i64 {
    x << (i64::BITS - BITS) >> (i64::BITS - BITS)
}

/// Returns the indices i for which i and k - i are both below n.
const fn pairs(k: usize) -> core::ops::Range<usize> {
    k.saturating_sub(LIMBS - 1)..if k < LIMBS { k + 1 } else { LIMBS }
}

/// Returns the sum of the known multiples in column K. In the lower columns, multiple K is not yet known and still 0.
#[inline(always)]
fn multiple_of_q<const K: usize>(multiples: &[Wide; LIMBS]) -> Wide {
    pairs(K).filter(|i| *i < K).map(|i| multiples[i] * Q[K - i] as Wide).sum()
}

/// Returns column K of x y.
#[inline(always)]
fn column<const K: usize>(x: &[Wide; LIMBS], y: &[Wide; LIMBS]) -> Wide {
    pairs(K).map(|i| x[i] * y[K - i]).sum()
}

/// Works like [`column`], modulo 2^64 (2^128).
#[inline(always)]
fn wrapping_column<const K: usize>(x: &[Wide; LIMBS], y: &[Wide; LIMBS]) -> Wide {
    pairs(K).fold(0, |sum, i| sum.wrapping_add(x[i].wrapping_mul(y[K - i])))
}

/// Widens limbs or sums of two for columns. Callers add first: engines do not know that wide sums are short.
#[inline(always)]
fn widen<L: Into<Wide>>(x: [L; LIMBS]) -> [Wide; LIMBS] {
    x.map(Into::into)
}

/// Returns x y / R. One operand may have two units, the other one.
#[inline(never)]
pub fn multiply(x: &Limbs, y: &Limbs) -> Limbs {
    debug_assert!(fits(x, 1) && fits(y, 2) || fits(x, 2) && fits(y, 1));
    let (x, y) = (widen(*x), widen(*y));
    montgomery!(|K| column::<K>(&x, &y))
}

/// Returns x x / R for one unit. Doubles each mixed product; the columns equal those of [`multiply`].
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

/// Returns (x0 + x1 u)(y0 + y1 u) / R with u^2 = -1, by three products and two reductions, for operands of one unit.
///
/// The columns are x0 y0 - x1 y1, and x0 y1 + x1 y0 computed as (x0 + x1)(y0 + y1) - x0 y0 - x1 y1. Both have 24
/// products, hence up to 24 units, and 30.22 with the multiples of q. (x0 + x1)(y0 + y1) may have 48 units and wrap
/// modulo 2^64, but the difference fits and is therefore correct.
///
/// Size: below 0.5001 + 0.0016 (size(x0) size(y0) + size(x1) size(y1)), and likewise for the other part.
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
