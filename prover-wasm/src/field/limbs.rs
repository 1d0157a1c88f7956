//! Base field elements as balanced limbs: what is done limb by limb, and constants. There are n limbs of w bits: thirteen
//! of 30, or with wide arithmetic seven of 56, which the feature `wide` chooses. All else is the same source for both, and
//! its bounds hold for both; figures are those of 13 limbs where 7 have more room.
//!
//! An element x is kept as the limbs of some integer V with V = R x modulo q and R = 2^(n w). Limbs are signed, and so is
//! V. Two measures go with it, and stand beside each operation:
//! - *units*: the most that the limbs but for the highest hold in magnitude, in units of 2^(w-1). The highest holds what is
//!   left of V, below 2^23 (2^47), and never matters for overflow;
//! - *size*: |V| / q.
//!
//! *Carried* means one unit, precisely at most 2^(w-1) + 2; *stored* means carried and of size below 0.501. Coordinates
//! are stored; whatever else there is lives for a few operations.

use ark_bls12_381::Fq as ArkFq;
use ark_ff::{BigInt, PrimeField};

#[cfg(not(feature = "wide"))]
mod representation {
    pub type Limb = i32;
    /// Holds a column of products.
    pub type Wide = i64;
    pub const LIMBS: usize = 13;
    pub const BITS: u32 = 30;
}

#[cfg(feature = "wide")]
mod representation {
    pub type Limb = i64;
    /// Holds a column of products.
    pub type Wide = i128;
    pub const LIMBS: usize = 7;
    pub const BITS: u32 = 56;
}

pub use representation::*;

/// Least significant first.
pub type Limbs = [Limb; LIMBS];
/// An integer below 2^384, least significant first.
pub type Words = [u64; 6];

/// R is two to this power.
pub const RADIX_BITS: u32 = BITS * LIMBS as u32;
const TOP: usize = LIMBS - 1;
/// Bits of the highest limb's magnitude: sizes are below 4.9.
const TOP_BITS: u32 = 383 - BITS * TOP as u32;

/// q. Its limbs together are 6.21 units (1.64), and the highest is 1,704,210 (2.86 10^13).
pub const Q: Limbs = balanced(ArkFq::MODULUS.0);
pub const MINUS_Q: Limbs = {
    let mut limbs = Q;
    let mut i = 0;
    while i < LIMBS {
        limbs[i] = -limbs[i];
        i += 1;
    }
    limbs
};
/// -1/q modulo 2^w, by Newton's iteration, which doubles the bits that are right.
pub const MINUS_INVERSE_Q: i64 = {
    let q = ArkFq::MODULUS.0[0];
    let mut inverse = q; // right in 3 bits, as for any odd number
    let mut bits = 3;
    while bits < BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(inverse)));
        bits *= 2;
    }
    (inverse.wrapping_neg() & MASK) as i64
};

/// 2^n modulo q, for 384 <= n < 448. arkworks keeps x as 2^384 x, so these are its words of 2^(n - 384).
pub const fn power_of_two(n: u32) -> Limbs {
    balanced(ArkFq::new(BigInt([1 << (n - 384), 0, 0, 0, 0, 0])).0.0)
}

const MASK: u64 = (1 << BITS) - 1;

/// The limbs of an integer: each from -2^(w-1) to 2^(w-1) - 1, the highest what is left.
pub const fn balanced(words: Words) -> Limbs {
    let mut limbs = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < LIMBS {
        let (word, shift) = (BITS as usize * i / 64, BITS * i as u32 % 64);
        let mut digit = words[word] >> shift;
        if shift > 64 - BITS && word < 5 {
            digit |= words[word + 1] << (64 - shift);
        }
        let digit = (digit & MASK) as Wide + carry;
        carry = if i < TOP { (digit + (1 << (BITS - 1))) >> BITS } else { 0 }; // digit / 2^w, rounded
        limbs[i] = (digit - (carry << BITS)) as Limb;
        i += 1;
    }
    limbs
}

/// V modulo q as the least non-negative integer. Takes limbs of up to 3 units, of a size below 1.
pub fn canonical(x: &Limbs) -> Words {
    let (mut digits, below_zero) = digits(x);
    if below_zero {
        (digits, _) = self::digits(&core::array::from_fn(|i| digits[i] + Q[i]));
    }
    let mut words = [0; 6];
    for (i, digit) in digits.iter().enumerate() {
        let (word, shift) = (BITS as usize * i / 64, BITS * i as u32 % 64);
        words[word] |= (*digit as u64) << shift;
        if shift > 64 - BITS && word < 5 {
            words[word + 1] |= *digit as u64 >> (64 - shift);
        }
    }
    words
}

/// Digits from 0 to 2^w - 1 of V modulo R, and whether V is negative.
fn digits(x: &Limbs) -> (Limbs, bool) {
    let mut carry = 0;
    let digits = x.map(|limb| {
        let digit = limb as Wide + carry;
        carry = digit >> BITS;
        (digit & MASK as Wide) as Limb
    });
    (digits, carry < 0)
}

/// One carry from each limb to the next, all at once. Takes up to 3 units (below 2^31 of 13 limbs); V stays.
///
/// What stays in a limb is from -2^(w-1) to 2^(w-1) - 1, what comes is from -2 to 2: carried. Unlike a carry that runs through
/// all limbs, this one has no chain, so that four limbs can go at a time.
#[inline(always)]
pub fn carry(mut x: Limbs) -> Limbs {
    debug_assert!(x.iter().all(|limb| limb.abs() <= 3 * CARRIED));
    let mut carries = [0; LIMBS];
    for i in 0..TOP {
        carries[i + 1] = (x[i] >> BITS) + (x[i] >> (BITS - 1) & 1); // x / 2^w, rounded
        x[i] = x[i] << (Limb::BITS - BITS) >> (Limb::BITS - BITS);
    }
    for i in 1..LIMBS {
        x[i] += carries[i];
    }
    x
}

/// Units add up, and so do sizes.
#[inline(always)]
pub fn add(x: &Limbs, y: &Limbs) -> Limbs {
    core::array::from_fn(|i| x[i] + y[i])
}

/// As [`add`].
#[inline(always)]
pub fn subtract(x: &Limbs, y: &Limbs) -> Limbs {
    core::array::from_fn(|i| x[i] - y[i])
}

/// The same element, stored. Takes up to 3 units, of a size below 2.49. Without it a chain of additions of points
/// grows without bound, although each step looks harmless.
///
/// Once carried, the lower limbs together are within 0.51 of the highest one's weight, so that this tells V / q to 1 in
/// 1.7 million: the multiple m of q nearest to it leaves a size below 0.5 + 2 / 1,704,210. And |m| <= 2,
/// so that limbs before the second carry are at most 1 + 2 * 0.97 units.
#[inline(always)]
pub fn store(x: Limbs) -> Limbs {
    let mut x = carry(x);
    const HALF: Limb = Q[TOP] / 2;
    let top = x[TOP];
    debug_assert!(top.abs() < 5 * HALF);
    let above = (top > HALF) as Limb + (top > 3 * HALF) as Limb;
    let below = (top < -HALF) as Limb + (top < -3 * HALF) as Limb;
    let multiple = above - below;
    for i in 0..LIMBS {
        x[i] -= multiple * Q[i];
    }
    carry(x)
}

/// Whether a carried element of a size below 1.9 is zero: whether V is 0, q or -q.
///
/// Each of these has one carried form only: limb 0 is given modulo 2^w, and the next candidate is 2^w away, beyond
/// 2^(w-1) + 2 for every limb of q (at most 0.97 units); hence limb 0 is q's, and in the same way the next.
#[inline(always)]
pub fn is_zero(x: &Limbs) -> bool {
    debug_assert!(fits(x, 1) && x[TOP].abs() < 2 * Q[TOP] - 2);
    // Nearly always decided by the lowest limb.
    (x[0] == 0 && *x == [0; LIMBS]) || (x[0] == Q[0] && *x == Q) || (x[0] == MINUS_Q[0] && *x == MINUS_Q)
}

/// The most that a carried limb holds.
const CARRIED: Limb = (1 << (BITS - 1)) + 2;

/// Whether the limbs are within so many units and the highest within its bits. For assertions.
pub fn fits(x: &Limbs, units: Limb) -> bool {
    x[..TOP].iter().all(|limb| limb.abs() <= units * CARRIED) && x[TOP].abs() < 1 << TOP_BITS
}
