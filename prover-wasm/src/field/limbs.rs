//! Elements of the base field as balanced limbs: operations on single limbs, and constants. There are n limbs of w
//! bits: thirteen of 30 bits, or with wide arithmetic (the feature `wide`) seven of 56 bits. All other code and its
//! bounds are the same for both. Figures are those of 13 limbs; 7 limbs have more room.
//!
//! An element x is stored as the limbs of an integer V with V = R x modulo q and R = 2^(n w). The limbs and V are
//! signed. Each operation states two measures of its operands and result:
//! - *units*: the largest magnitude of any limb but the highest, in units of 2^(w-1). The highest limb holds the rest
//!   of V, below 2^23 (2^47), and never overflows;
//! - *size*: |V| / q.
//!
//! *Carried* means one unit, precisely at most 2^(w-1) + 2. *Stored* means carried and of a size below 0.501.
//! Coordinates are stored; all other values last for only a few operations.

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

/// The limbs, least significant first.
pub type Limbs = [Limb; LIMBS];
/// An integer below 2^384, least significant first.
pub type Words = [u64; 6];

/// The exponent of R as a power of two.
pub const RADIX_BITS: u32 = BITS * LIMBS as u32;
const TOP: usize = LIMBS - 1;
/// The bits of the highest limb's magnitude: sizes are below 4.9.
const TOP_BITS: u32 = 383 - BITS * TOP as u32;

/// q. Its limbs total 6.21 units (1.64 with wide arithmetic), and the highest is 1,704,210 (2.86 10^13).
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
/// -1/q modulo 2^w, by Newton's iteration, which doubles the number of correct bits.
pub const MINUS_INVERSE_Q: i64 = {
    let q = ArkFq::MODULUS.0[0];
    let mut inverse = q; // correct in 3 bits, as for any odd number
    let mut bits = 3;
    while bits < BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(inverse)));
        bits *= 2;
    }
    (inverse.wrapping_neg() & MASK) as i64
};

/// Returns 2^n modulo q, for 384 <= n < 448. arkworks stores x as 2^384 x, so these are its words of 2^(n - 384).
pub const fn power_of_two(n: u32) -> Limbs {
    balanced(ArkFq::new(BigInt([1 << (n - 384), 0, 0, 0, 0, 0])).0.0)
}

const MASK: u64 = (1 << BITS) - 1;

/// Returns the limbs of an integer: each from -2^(w-1) to 2^(w-1) - 1, except that the highest holds the rest.
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

/// Returns V modulo q as the least non-negative integer. Accepts up to 3 units and a size below 1.
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

/// Returns V modulo R in digits from 0 to 2^w - 1, and whether V is negative.
fn digits(x: &Limbs) -> (Limbs, bool) {
    let mut carry = 0;
    let digits = x.map(|limb| {
        let digit = limb as Wide + carry;
        carry = digit >> BITS;
        (digit & MASK as Wide) as Limb
    });
    (digits, carry < 0)
}

/// Carries once from each limb to the next. Accepts up to 3 units (below 2^31 for 13 limbs). V does not change.
///
/// Each limb keeps a value from -2^(w-1) to 2^(w-1) - 1 and receives a carry from -2 to 2, so the result is carried. As
/// no carry depends on another one, the compiler can process four limbs at a time.
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

/// Adds limb by limb. Units add up, and so do sizes.
#[inline(always)]
pub fn add(x: &Limbs, y: &Limbs) -> Limbs {
    core::array::from_fn(|i| x[i] + y[i])
}

/// Subtracts limb by limb; bounds as for [`add`].
#[inline(always)]
pub fn subtract(x: &Limbs, y: &Limbs) -> Limbs {
    core::array::from_fn(|i| x[i] - y[i])
}

/// Returns the same element, stored. Accepts up to 3 units and a size below 2.49. Without this step, values would grow
/// without bound in a chain of point additions, although each addition keeps to its bounds.
///
/// After the first carry, the lower limbs total at most 0.51 of the highest limb's weight. The highest limb thus gives
/// V / q to within 1 in 1.7 million, and subtracting the nearest multiple m of q leaves a size below 0.5 + 2 /
/// 1,704,210. As |m| <= 2, limbs have at most 1 + 2 * 0.97 units before the second carry.
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

/// Returns whether a carried element of a size below 1.9 is zero, that is, whether V is 0, q or -q.
///
/// Each has only one carried form. V modulo 2^w determines limb 0; the next candidate is 2^w away, beyond 2^(w-1) + 2,
/// as limbs of q have at most 0.97 units. Limb 0 is thus that of q, and so is each next limb.
#[inline(always)]
pub fn is_zero(x: &Limbs) -> bool {
    debug_assert!(fits(x, 1) && x[TOP].abs() < 2 * Q[TOP] - 2);
    // The lowest limb nearly always decides.
    (x[0] == 0 && *x == [0; LIMBS]) || (x[0] == Q[0] && *x == Q) || (x[0] == MINUS_Q[0] && *x == MINUS_Q)
}

/// The maximum magnitude of a carried limb.
const CARRIED: Limb = (1 << (BITS - 1)) + 2;

/// Returns whether the limbs have at most this many units, and the highest fits its bits. For assertions.
pub fn fits(x: &Limbs, units: Limb) -> bool {
    x[..TOP].iter().all(|limb| limb.abs() <= units * CARRIED) && x[TOP].abs() < 1 << TOP_BITS
}
